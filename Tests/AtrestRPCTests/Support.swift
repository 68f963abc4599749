// SPDX-License-Identifier: Apache-2.0
// A small service on real sockets, with channels to call it.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import AtrestTestSupport
import Dispatch
import Glibc
import Synchronization
import Testing

/// Timeout of a test's call. Long, because tests share a few threads with others that wait for
/// processes, and the machine may be busy.
let patience = Duration.seconds(900)

extension Limits {
  /// The defaults without time limits that a busy machine could reach in a test about other things.
  static var patient: Limits {
    var limits = Limits()
    limits.firstRequestTimeout = patience
    limits.requestStall = patience
    limits.requestTimeout = patience
    limits.writeStall = patience
    limits.keepaliveInterval = patience
    return limits
  }
}

/// A bug in the test, or a peer that misbehaved.
struct Unexpected: Error {
  let what: String
  init(_ what: String) { self.what = what }
}

/// The service under test and what it observed.
final class TestService: Sendable {
  static let name = "test.v1.Echo"
  let worker = DispatchQueue(label: "test.worker")
  /// Signalled when a hanging call begins.
  let began = Signal<Void>()
  /// A call was cancelled; its kind.
  let cancelled = Signal<String>()
  let responders = Mutex<[Responder]>([])
  let writers = Mutex<[StreamWriter]>([])
  let handlerErrors = Signal<String>()
  /// Signal it to let a handler read its requests.
  let mayRead = Signal<Void>()
  /// Signalled with the status of a request stream that failed.
  let ends = Signal<Status>()
  /// The number of bodies that reached the guarded service.
  let guardedBodies = Atomic(0)

  func router() -> RPCRouter {
    var router = RPCRouter()
    router.addService(Self.name) { methods in
      addUnary(&methods)
      addStreams(&methods)
    }
    router.addService(
      "test.v1.Guarded",
      authorize: { head -> Authorization<String> in
        guard let token = head.metadata.text("authorization"), token.hasPrefix("Bearer ") else {
          return .refused(Status(.unauthenticated, "Pair this device first."))
        }
        return .granted(String(token.dropFirst(7)))
      },
      methods: { methods in
        methods.unary("WhoAmI") { [self] call, _ in
          guardedBodies.add(1, ordering: .relaxed)
          return .reply(Array(call.principal.utf8))
        }
      })
    return router
  }

  private func addUnary(_ methods: inout ServiceMethods<Void>) {
    methods.unary("Unary") { call, request in
      precondition(call.shard.isCurrent)
      return .reply(request)
    }
    methods.unary("Compressed") { call, _ in .reply([call.isMessageCompressed ? 1 : 0]) }
    methods.unary("Later") { [worker] call, request in
      let responder = call.responder()
      worker.async { responder.reply(request) }
      return .later
    }
    methods.unary("Batched") { [self] call, request in
      // Ten calls are answered together from another thread.
      let ready = responders.withLock { held -> [Responder] in
        held.append(call.responder())
        guard held.count == 10 else { return [] }
        defer { held = [] }
        return held
      }
      if !ready.isEmpty {
        worker.async {
          var batch = ResponseBatch()
          for responder in ready { batch.add(responder, .reply(request)) }
          batch.deliver()
        }
      }
      return .later
    }
    methods.unary("Hang") { [self] call, _ in
      let responder = call.responder()
      responders.withLock { $0.append(responder) }
      call.onCancel { self.cancelled.send("unary") }
      began.send(())
      return .later
    }
    methods.unary("HangLate") { [self] call, _ in
      let responder = call.responder()
      responders.withLock { $0.append(responder) }
      // The call is over by then.
      call.onCancel { call.onCancel { self.cancelled.send("late") } }
      began.send(())
      return .later
    }
    methods.unary("Drop") { call, _ in
      _ = call.responder()
      return .later
    }
    methods.unary("Fail") { _, request in
      .fail(Status(.failedPrecondition, "äöü – 100 %\n🌱", details: [1, 2, 3] + request))
    }
    methods.unary("Throw") { _, _ in throw Unexpected("secret") }
    methods.unary("ThrowStatus") { _, _ in throw Status(.notFound, "no such fast") }
  }

  private func addStreams(_ methods: inout ServiceMethods<Void>) {
    methods.serverStreaming("Count") { [worker] call, request, writer in
      let count = request.first.map(Int.init) ?? 0
      precondition(call.shard.isCurrent)
      // Half from the shard, half from another thread: the order must hold.
      for index in 0..<count / 2 { _ = writer.send([UInt8(index)]) }
      worker.async {
        for index in count / 2..<count { _ = writer.send([UInt8(index)]) }
        writer.finish()
      }
    }
    methods.serverStreaming("Open") { [self] _, _, writer in
      writer.onCancel { self.cancelled.send("stream") }
      writers.withLock { $0.append(writer) }
      began.send(())
    }
    methods.serverStreaming("ThrowAfter") { _, _, writer in
      _ = writer.send([1])
      throw Status(.aborted, "half way")
    }
    methods.serverStreaming("Forget") { _, _, writer in _ = writer.send([1]) }
    methods.clientStreaming("Sum") { [self] call, responder in
      let (messages, receiver) = RequestMessages.make(for: call, bufferMessages: 4)
      call.onCancel { self.cancelled.send("request") }
      began.send(())
      Task {
        // Reads nothing until the test permits it.
        try await mayRead.next()
        do throws(Status) {
          var sum = 0
          for try await message in messages { sum += message.reduce(0) { $0 + Int($1) } }
          responder.reply(Array("\(sum)".utf8))
        } catch {
          ends.send(error)
        }
      }
      return receiver
    }
    methods.clientStreaming("Enough") { _, responder in
      { event in
        if case .message = event { responder.reply([1]) }
      }
    }
    methods.clientStreaming("Refuse") { _, _ in throw Status(.permissionDenied, "not today") }
    methods.bidirectional("Talk") { call, writer in
      let (messages, receiver) = RequestMessages.make(for: call)
      Task {
        do throws(Status) {
          for try await message in messages { _ = await writer.sendWhenReady(message) }
          writer.finish()
        } catch {
          writer.finish(error)
        }
      }
      return receiver
    }
    methods.bidirectional("Amplify") { _, writer in
      { event in
        switch event {
        case .message(let bytes): _ = writer.send([UInt8](repeating: bytes[0], count: 100_000))
        case .end: writer.finish()
        }
      }
    }
    methods.bidirectional("Chat") { _, writer in
      { event in
        switch event {
        case .message(let bytes): _ = writer.send(bytes)
        case .end: writer.finish()
        }
      }
    }
  }
}

/// A server with the service, and a channel to it.
struct World {
  let service = TestService()
  let server: GRPCServer
  let address: SocketAddress
  let channel: GRPCChannel

  init(
    on text: String = "127.0.0.1:0", configure: (inout GRPCServer.Configuration) -> Void = { _ in },
    configureChannel: (inout GRPCChannel.Configuration) -> Void = { _ in }
  ) throws {
    var configuration = GRPCServer.Configuration()
    configuration.limits = .patient
    let errors = service.handlerErrors
    configuration.onHandlerError = { path, _ in errors.send(path) }
    configure(&configuration)
    server = try GRPCServer(router: service.router(), configuration: configuration)
    address = try server.listen(on: try SocketAddress(parsing: text))
    var channelConfiguration = GRPCChannel.Configuration()
    configureChannel(&channelConfiguration)
    channel = try GRPCChannel(to: .address(address), configuration: channelConfiguration)
  }

  func unary(
    _ method: String, _ request: [UInt8] = [], metadata: Metadata = Metadata(),
    timeout: Duration? = patience
  ) async throws(Status) -> [UInt8] {
    try await channel.unary(
      "/\(TestService.name)/\(method)", request, metadata: metadata, timeout: timeout)
  }

  func stream(_ method: String, _ request: [UInt8] = []) -> ResponseStream {
    channel.serverStream("/\(TestService.name)/\(method)", request, timeout: patience)
  }

  func stop() async {
    await channel.close()
    await server.drain(grace: .zero)
  }
}

/// The status with which a call fails.
func failure<Value>(_ body: () async throws(Status) -> Value) async throws -> Status {
  do {
    _ = try await body()
  } catch {
    return error
  }
  throw Unexpected("the call succeeded")
}
