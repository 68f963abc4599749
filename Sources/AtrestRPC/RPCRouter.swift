// SPDX-License-Identifier: Apache-2.0
// Maps method paths to handlers.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// The result of `authorize`.
public enum Authorization<Principal: Sendable>: Sendable {
  /// The caller is authenticated as this principal. With a `CallerGrant`, revoking it ends the
  /// call.
  case granted(Principal, CallerGrant? = nil)
  /// The call may proceed unauthenticated. A connection with only such calls may be evicted when
  /// connection slots are short.
  case admitted(Principal)
  /// The call ends with this status, which must not be `.ok`. Its body is neither read nor
  /// inflated.
  case refused(Status)
  /// The decision takes a while: the closure is called once, at once, with where to answer, from
  /// any thread. Nothing of the body is inflated before.
  case later(@Sendable (AuthorizationDecision<Principal>) -> Void)

  /// The same decision for another type of principal.
  public func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Principal) -> Other
  ) -> Authorization<Other> {
    switch self {
    case .granted(let principal, let grant): .granted(transform(principal), grant)
    case .admitted(let principal): .admitted(transform(principal))
    case .refused(let status): .refused(status)
    case .later(let decide):
      .later { decision in decide(AuthorizationDecision { decision($0.map(transform)) }) }
    }
  }
}

/// Where the decision on a call is answered. The first answer counts; a call whose decision is
/// released without one ends with UNAVAILABLE.
public final class AuthorizationDecision<Principal: Sendable>: Sendable {
  private let answer: Mutex<(@Sendable (Authorization<Principal>) -> Void)?>

  init(_ answer: @escaping @Sendable (Authorization<Principal>) -> Void) {
    self.answer = Mutex(answer)
  }

  deinit { take()?(.refused(.undecided)) }

  /// Answers, from any thread. A decision must not be put off again: `.later` ends the call.
  public func callAsFunction(_ authorization: Authorization<Principal>) { take()?(authorization) }

  private func take() -> (@Sendable (Authorization<Principal>) -> Void)? {
    answer.withLock { answer in
      defer { answer = nil }
      return answer
    }
  }
}

extension Status {
  fileprivate static let undecided = Status(
    .unavailable, "The server could not find out who calls. Try again soon.")
}

/// The methods of a server. Built before the server starts; immutable afterwards.
public struct RPCRouter: Sendable {
  /// A call to start, or why it is refused.
  enum Start {
    case call(CallState, Proof)
    case refused(Status)
    /// The closure is called with where to go on, on the connection's shard.
    case later((@escaping (Start) -> Void) -> Void)
  }

  /// The result of authentication.
  enum Proof {
    case none
    case known(CallerGrant?)
  }

  /// A method as connections see it.
  struct Route: Sendable {
    let maxMessageBytes: Int?
    /// Whether the request is a stream, which browsers cannot send.
    let takesStream: Bool
    /// Authorizes a call and creates its state. Only this closure knows the service's principal
    /// type.
    let start: @Sendable (CallID, CallHead, ServerHandler) -> Start
  }

  private(set) var routes: [String: Route] = [:]

  /// Creates an empty router: every call is answered UNIMPLEMENTED.
  public init() {}

  /// Adds a service.
  ///
  /// - Parameters:
  ///   - name: The full name with its package: `atrest.sync.v1.Sync`.
  ///   - authorize: Authorizes a call by its headers, before its body is read. Runs on the shard
  ///     and must not block: every connection there waits for it.
  ///   - methods: Adds the service's methods.
  /// - Precondition: Every path is unique.
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

  /// Adds a service without authentication.
  public mutating func addService(_ name: String, methods: (inout ServiceMethods<Void>) -> Void) {
    addService(name, authorize: { _ in .admitted(()) }, methods: methods)
  }

  /// All method paths, sorted.
  public var paths: [String] { routes.keys.sorted() }
}

/// Collects the methods of one service.
///
/// Handlers run on the shard of their connection and must not block: every connection there waits.
/// A thrown `Status` is sent as it is; any other error becomes UNKNOWN, without its text.
public struct ServiceMethods<Principal: Sendable> {
  private let authorize: @Sendable (CallHead) -> Authorization<Principal>
  private(set) var routes: [(method: String, route: RPCRouter.Route)] = []

  init(authorize: @escaping @Sendable (CallHead) -> Authorization<Principal>) {
    self.authorize = authorize
  }

  /// Adds a unary method. The handler runs synchronously once the request is complete: without a
  /// task or thread hop, about 10 us in all for a small call.
  /// - Parameter maxMessageBytes: Maximum request size in bytes, also inflated, if below
  ///   `Limits.maxMessageBytes`. Set it for every unauthenticated method.
  public mutating func unary(
    _ method: String, maxMessageBytes: Int? = nil,
    _ handler: @escaping @Sendable (ServerCall<Principal>, [UInt8]) throws -> UnaryOutcome
  ) {
    add(method, maxMessageBytes) { principal in
      .unary { try handler(ServerCall(principal: principal, state: $0), $1) }
    }
  }

  /// Adds a server-streaming method. The handler starts the stream and returns. The writer's holder
  /// sends and finishes, from any thread.
  /// - Parameter maxMessageBytes: As for `unary`.
  public mutating func serverStreaming(
    _ method: String, maxMessageBytes: Int? = nil,
    _ handler: @escaping @Sendable (ServerCall<Principal>, [UInt8], StreamWriter) throws -> Void
  ) {
    add(method, maxMessageBytes) { principal in
      .serverStreaming { try handler(ServerCall(principal: principal, state: $0), $1, $2) }
    }
  }

  /// Adds a client-streaming method. The handler returns the receiver of the request messages,
  /// called on the shard as they arrive: a closure, or ``RequestMessages``' receiver for a task.
  /// The responder's holder answers, from any thread.
  /// - Parameter maxMessageBytes: Maximum size of each message; as for `unary`.
  public mutating func clientStreaming(
    _ method: String, maxMessageBytes: Int? = nil,
    _ handler:
      @escaping @Sendable (ServerCall<Principal>, Responder) throws ->
      (RequestEvent) throws -> Void
  ) {
    add(method, maxMessageBytes, takesStream: true) { principal in
      .clientStreaming { try handler(ServerCall(principal: principal, state: $0), $1) }
    }
  }

  /// Adds a bidirectional method. The handler returns the receiver of the request messages, as for
  /// `clientStreaming`.
  /// - Parameter maxMessageBytes: Maximum size of each message; as for `unary`.
  public mutating func bidirectional(
    _ method: String, maxMessageBytes: Int? = nil,
    _ handler:
      @escaping @Sendable (ServerCall<Principal>, StreamWriter) throws ->
      (RequestEvent) throws -> Void
  ) {
    add(method, maxMessageBytes, takesStream: true) { principal in
      .bidirectional { try handler(ServerCall(principal: principal, state: $0), $1) }
    }
  }

  private mutating func add(
    _ method: String, _ maxMessageBytes: Int?, takesStream: Bool = false,
    _ make: @escaping @Sendable (Principal) -> CallState.Handler
  ) {
    let authorize = authorize
    let route = RPCRouter.Route(maxMessageBytes: maxMessageBytes, takesStream: takesStream) {
      id, head, connection in
      func call(_ principal: Principal) -> CallState {
        CallState(
          id: id, head: head.authorized, connection: connection, handler: make(principal))
      }
      func start(_ authorization: Authorization<Principal>) -> RPCRouter.Start {
        switch authorization {
        case .granted(let principal, let grant): .call(call(principal), .known(grant))
        case .admitted(let principal): .call(call(principal), .none)
        case .refused(let status): .refused(status)
        case .later(let decide):
          .later { goOn in
            let shard = connection.shard
            let bound = ShardBound({ goOn(start($0)) }, to: shard)
            decide(
              AuthorizationDecision { authorization in
                shard.async { bound.value(authorization) }
              })
          }
        }
      }
      return start(authorize(head))
    }
    routes.append((method, route))
  }
}
