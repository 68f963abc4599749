// SPDX-License-Identifier: Apache-2.0
// Knows which handler serves which method.

import AtrestHTTP2
import AtrestSockets

/// What `authorize` decides.
public enum Authorization<Principal: Sendable>: Sendable {
  /// The call may go on, on behalf of this principal, who has proved who it is. With `CallerGrant`,
  /// the call ends when that is withdrawn.
  case granted(Principal, CallerGrant? = nil)
  /// The call may go on, though its caller has proved nothing. A connection that carries only such
  /// calls may be cut when places are short.
  case admitted(Principal)
  /// The call ends here; its body is neither read nor inflated. Not `.ok`.
  case refused(Status)
}

/// The methods of a server. Built before the server starts, unchanged after.
public struct RPCRouter: Sendable {
  /// A call that may go on, or why it may not.
  enum Start {
    case call(CallState, Proof)
    case refused(Status)
  }

  /// What a caller has proved.
  enum Proof {
    case none
    case known(CallerGrant?)
  }

  /// A method as connections see it.
  struct Route: Sendable {
    let maxMessageBytes: Int?
    /// Authorises a call and makes its state; knows the service's principal type, which nothing
    /// above it does.
    let start: @Sendable (CallID, CallHead, ServerHandler) -> Start
  }

  private(set) var routes: [String: Route] = [:]

  /// No methods: every call is answered UNIMPLEMENTED.
  public init() {}

  /// Adds a service.
  ///
  /// - Parameters:
  ///   - name: With its package: `atrest.sync.v1.Sync`.
  ///   - authorize: Decides on a call from its headers, on the shard, before the body is looked at.
  ///     It must answer from memory: everything on the shard waits for it.
  ///   - methods: Adds the service's methods.
  /// - Precondition: No path is added twice.
  public mutating func addService<Principal: Sendable>(
    _ name: String, authorize: @escaping @Sendable (CallHead) -> Authorization<Principal>,
    methods: (inout ServiceMethods<Principal>) -> Void
  ) {
    var service = ServiceMethods(authorize: authorize)
    methods(&service)
    for (method, route) in service.routes {
      let previous = routes.updateValue(route, forKey: "/\(name)/\(method)")
      precondition(previous == nil, "/\(name)/\(method) is served twice")
    }
  }

  /// Adds a service that anybody may call.
  public mutating func addService(_ name: String, methods: (inout ServiceMethods<Void>) -> Void) {
    addService(name, authorize: { _ in .admitted(()) }, methods: methods)
  }

  /// The paths served, sorted.
  public var paths: [String] { routes.keys.sorted() }
}

/// Collects the methods of one service.
///
/// Handlers run on the shard of their connection and must not block: everything else there waits. A
/// `Status` they throw is answered as it is; any other error becomes UNKNOWN, without its text.
public struct ServiceMethods<Principal: Sendable> {
  private let authorize: @Sendable (CallHead) -> Authorization<Principal>
  private(set) var routes: [(method: String, route: RPCRouter.Route)] = []

  init(authorize: @escaping @Sendable (CallHead) -> Authorization<Principal>) {
    self.authorize = authorize
  }

  /// Adds a method with one message each way. The handler runs synchronously once the request is
  /// complete: no task and no hop, about 10 us in all for a small call.
  /// - Parameter maxMessageBytes: The most that a request may have, inflated too, where that is
  ///   less than `Limits.maxMessageBytes`. Give it to every method that anybody may call.
  public mutating func unary(
    _ method: String, maxMessageBytes: Int? = nil,
    _ handler: @escaping @Sendable (ServerCall<Principal>, [UInt8]) throws -> UnaryOutcome
  ) {
    add(method, maxMessageBytes) { principal in
      .unary { try handler(ServerCall(principal: principal, state: $0), $1) }
    }
  }

  /// Adds a method with one message in and a stream of them out. The handler starts the stream and
  /// returns; whoever holds the writer sends, on any thread, and finishes it.
  /// - Parameter maxMessageBytes: As for `unary`.
  public mutating func serverStreaming(
    _ method: String, maxMessageBytes: Int? = nil,
    _ handler: @escaping @Sendable (ServerCall<Principal>, [UInt8], StreamWriter) throws -> Void
  ) {
    add(method, maxMessageBytes) { principal in
      .serverStreaming { try handler(ServerCall(principal: principal, state: $0), $1, $2) }
    }
  }

  /// Adds a method with a stream of messages in and one out. The handler returns what takes the
  /// caller's messages, on the shard, as they come: the receiver that
  /// ``RequestMessages/make(for:bufferMessages:)`` makes for a task, or a closure.
  /// Whoever holds the responder answers, on any thread.
  /// - Parameter maxMessageBytes: The most that each message may have; as for `unary`.
  public mutating func clientStreaming(
    _ method: String, maxMessageBytes: Int? = nil,
    _ handler:
      @escaping @Sendable (ServerCall<Principal>, Responder) throws ->
      (RequestEvent) throws -> Void
  ) {
    add(method, maxMessageBytes) { principal in
      .clientStreaming { try handler(ServerCall(principal: principal, state: $0), $1) }
    }
  }

  /// Adds a method with streams both ways. The handler returns what takes the caller's messages, as
  /// for `clientStreaming`.
  /// - Parameter maxMessageBytes: The most that each message may have; as for `unary`.
  public mutating func bidirectional(
    _ method: String, maxMessageBytes: Int? = nil,
    _ handler:
      @escaping @Sendable (ServerCall<Principal>, StreamWriter) throws ->
      (RequestEvent) throws -> Void
  ) {
    add(method, maxMessageBytes) { principal in
      .bidirectional { try handler(ServerCall(principal: principal, state: $0), $1) }
    }
  }

  private mutating func add(
    _ method: String, _ maxMessageBytes: Int?,
    _ make: @escaping @Sendable (Principal) -> CallState.Handler
  ) {
    let authorize = authorize
    let route = RPCRouter.Route(maxMessageBytes: maxMessageBytes) { id, head, connection in
      func call(_ principal: Principal) -> CallState {
        CallState(
          id: id, head: head.authorized, connection: connection, handler: make(principal))
      }
      return switch authorize(head) {
      case .granted(let principal, let grant): .call(call(principal), .known(grant))
      case .admitted(let principal): .call(call(principal), .none)
      case .refused(let status): .refused(status)
      }
    }
    routes.append((method, route))
  }
}
