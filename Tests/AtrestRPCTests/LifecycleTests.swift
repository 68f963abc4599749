// SPDX-License-Identifier: Apache-2.0
// Deadlines, cancellation, and servers that drain, crash and restart.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import AtrestTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct LifecycleTests {
  @Test("a deadline ends the call on both sides")
  func deadline() async throws {
    let world = try World()
    _ = try await world.unary("Unary")
    // On a busy machine a short timeout may pass before the call reaches the server.
    for timeout in [50, 500, 5_000] where world.service.began.pending == 0 {
      let status = try await failure { () throws(Status) in
        try await world.unary("Hang", timeout: .milliseconds(timeout))
      }
      #expect(status.code == .deadlineExceeded)
    }
    #expect(try await world.service.cancelled.next() == "unary")
    // A late response is ignored.
    for responder in world.service.responders.withLock({ $0 }) { responder.reply([1]) }
    #expect(try await world.unary("Unary", [2]) == [2])
    await world.stop()
  }

  @Test("cancelling the task cancels the call at the server")
  func cancellation() async throws {
    let world = try World()
    let task = Task { try await failure { () throws(Status) in try await world.unary("Hang") } }
    try await world.service.began.next()
    task.cancel()
    #expect(try await task.value.code == .cancelled)
    #expect(try await world.service.cancelled.next() == "unary")
    #expect(world.server.statistics.callsByCode == [.cancelled: 1])
    await world.stop()
  }

  @Test("a task that was cancelled before never calls, and is told so")
  func cancelledBefore() async throws {
    let world = try World()
    for _ in 0..<200 {  // The cancellation may reach the shard before or after the call.
      let gate = Signal<Void>()
      let task = Task {
        _ = try? await gate.next()  // A cancelled task hears of its cancellation here already.
        return try await failure { () throws(Status) in try await world.unary("Unary") }
      }
      task.cancel()
      gate.send(())
      #expect(try await task.value.code == .cancelled)
    }
    #expect(world.server.statistics.totalCalls == 0)
    await world.stop()
  }

  @Test("an idle channel closes its connection, and the next call opens another")
  func idle() async throws {
    let world = try World(configureChannel: { $0.limits.idleConnection = .milliseconds(1) })
    for message: UInt8 in 1...3 {
      #expect(try await world.unary("Unary", [message]) == [message])
      try await waitUntil { world.server.statistics.activeConnections == 0 }
    }
    await world.stop()
  }

  @Test("a handle cancels a call that was started with a callback, once")
  func handle() async throws {
    let world = try World()
    let results = Signal<StatusCode?>()
    let handle = world.channel.startUnary("/\(TestService.name)/Hang", []) { result in
      if case .failure(let status) = result { results.send(status.code) } else { results.send(nil) }
    }
    try await world.service.began.next()
    handle.cancel()
    handle.cancel()
    #expect(try await results.next() == .cancelled)
    await world.stop()
    #expect(results.pending == 0)
  }

  @Test("who asks for the end of a call that was cancelled already hears of it at once")
  func lateOnCancel() async throws {
    let world = try World()
    let handle = world.channel.startUnary("/\(TestService.name)/HangLate", []) { _ in }
    try await world.service.began.next()
    handle.cancel()
    #expect(try await world.service.cancelled.next() == "late")
    await world.stop()
  }

  @Test("calls under way end well while the server drains; new ones are told to go elsewhere")
  func drain() async throws {
    let world = try World()
    let call = Task { try await world.unary("Hang") }
    try await world.service.began.next()
    let drained = Task { await world.server.drain(grace: .seconds(120)) }
    // Until the listener is closed, a new connection may be accepted and then drained.
    var status = Status.ok
    while status.code != .unavailable {
      let other = try GRPCChannel(to: .address(world.address))
      do throws(Status) {
        _ = try await other.unary("/\(TestService.name)/Unary", [1], timeout: patience)
      } catch {
        status = error
      }
      await other.close()
    }
    for responder in world.service.responders.withLock({ $0 }) { responder.reply([42]) }
    #expect(try await call.value == [42])
    await drained.value
    #expect(world.server.statistics.activeConnections == 0)
    #expect(world.server.statistics.activeCalls == 0)
    await world.channel.close()
  }

  @Test("a drain's grace is a limit: what does not end is ended UNAVAILABLE, and told so")
  func drainGrace() async throws {
    let world = try World()
    let call = Task { try await failure { () throws(Status) in try await world.unary("Hang") } }
    try await world.service.began.next()
    let stream = Task {
      try await failure { () throws(Status) in
        for try await _ in world.stream("Open") {}
      }
    }
    try await world.service.began.next()
    await world.server.drain(grace: .milliseconds(20))
    #expect(try await call.value.code == .unavailable)
    #expect(try await stream.value.code == .unavailable)
    let ended = [
      try await world.service.cancelled.next(), try await world.service.cancelled.next(),
    ]
    #expect(ended.sorted() == ["stream", "unary"])
    await world.channel.close()
  }

  @Test("nobody there is UNAVAILABLE, in a sentence for a person")
  func nobody() async throws {
    let world = try World()
    await world.server.drain(grace: .zero)
    let status = try await failure { () throws(Status) in try await world.unary("Unary") }
    #expect(status.code == .unavailable)
    #expect(
      status.message
        == "Nothing answers at \(world.address). Check the address, and that the server is running."
    )
    await world.channel.close()
    let closed = try await failure { () throws(Status) in try await world.unary("Unary") }
    #expect(closed.code == .unavailable)
  }

  @Test("a server that dies takes its calls with it, UNAVAILABLE; a new one is found again")
  func reconnect() async throws {
    let world = try World()
    #expect(try await world.unary("Unary", [1]) == [1])
    let call = Task { try await failure { () throws(Status) in try await world.unary("Hang") } }
    try await world.service.began.next()
    // As abrupt as a killed process: sockets close without GOAWAY.
    for shard in world.server.shards { await shard.stop() }
    #expect(try await call.value.code == .unavailable)
    await world.server.drain(grace: .zero)
    let second = try GRPCServer(router: world.service.router())
    try second.listen(on: world.address)
    #expect(try await world.unary("Unary", [2]) == [2])
    await world.channel.close()
    await second.drain(grace: .zero)
  }

  @Test("closing a channel ends its calls, and says goodbye to the server")
  func closeChannel() async throws {
    let world = try World()
    let call = Task { try await failure { () throws(Status) in try await world.unary("Hang") } }
    try await world.service.began.next()
    await world.channel.close()
    #expect(try await call.value.code == .unavailable)
    #expect(try await world.service.cancelled.next() == "unary")
    await world.server.drain(grace: .seconds(5))
    #expect(world.server.statistics.activeConnections == 0)
  }

  @Test("a call that waits for a place gets the one that a cancelled call leaves")
  func placeOfCancelled() async throws {
    let world = try World { $0.limits.maxConcurrentStreams = 1 }
    // The client knows the server's limit from here on.
    _ = try await world.unary("Unary")
    let first = world.channel.startUnary("/\(TestService.name)/Hang", []) { _ in }
    try await world.service.began.next()
    let code = Signal<StatusCode>()
    world.channel.startUnary("/\(TestService.name)/Unary", [], timeout: patience) { result in
      if case .failure(let status) = result { code.send(status.code) } else { code.send(.ok) }
    }
    first.cancel()
    #expect(try await code.next() == .ok)
    #expect(try await world.service.cancelled.next() == "unary")
    await world.stop()
  }

  @Test("more calls than the channel lets wait are refused, the others served")
  func waitingIsBounded() async throws {
    let world = try World { _ in
    } configureChannel: {
      $0.maxWaitingCalls = 5
    }
    let codes = Signal<StatusCode>()
    let shard = world.channel.shard
    shard.async {
      // Before the connection is open: no call can start yet.
      for _ in 0..<8 {
        world.channel.startUnary("/\(TestService.name)/Unary", []) { result in
          if case .failure(let status) = result { codes.send(status.code) } else { codes.send(.ok) }
        }
      }
    }
    var all: [StatusCode: Int] = [:]
    for _ in 0..<8 { all[try await codes.next(), default: 0] += 1 }
    #expect(all == [.ok: 5, .resourceExhausted: 3])
    await world.stop()
  }
}
