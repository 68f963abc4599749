// SPDX-License-Identifier: Apache-2.0
// Calls whose authorization takes a while.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import AtrestTestSupport
import Synchronization
import Testing

/// A server that asks somebody else who calls.
private struct Doorman {
  let asked = Signal<AuthorizationDecision<String>>()
  let grant = CallerGrant()
  let server: GRPCServer
  let address: SocketAddress
  let channel: GRPCChannel

  init() throws {
    var router = RPCRouter()
    let asked = asked
    router.addService(
      "t.Late",
      authorize: { _ -> Authorization<String> in .later { asked.send($0) } },
      methods: { methods in
        methods.unary("Name") { call, bytes in .reply(Array(call.principal.utf8) + bytes) }
        methods.serverStreaming("Twice") { _, bytes, writer in
          _ = writer.send(bytes)
          _ = writer.send(bytes)
          writer.finish()
        }
        methods.clientStreaming("Count") { _, responder in
          let count = Mutex(UInt8(0))
          return { event in
            switch event {
            case .message: count.withLock { $0 += 1 }
            case .end: responder.reply([count.withLock { $0 }])
            }
          }
        }
      })
    var configuration = GRPCServer.Configuration()
    configuration.limits = .patient
    configuration.maxCallsPerGrant = 1
    server = try GRPCServer(router: router, configuration: configuration)
    address = try server.listen(on: try SocketAddress(parsing: "127.0.0.1:0"))
    channel = try GRPCChannel(to: .address(address))
  }

  func name(_ request: [UInt8] = []) async throws(Status) -> [UInt8] {
    try await channel.unary("/t.Late/Name", request, timeout: patience)
  }

  func stop() async {
    await channel.close()
    await server.drain(grace: .zero)
  }
}

@Suite(.timeLimit(.minutes(20))) struct LateAuthorizationTests {
  @Test(
    "a request that arrived before its caller was known is answered after", arguments: [0, 200_000])
  func granted(size: Int) async throws {
    let door = try Doorman()
    let request = [UInt8](repeating: 7, count: size)
    async let answer = door.name(request)
    let decision = try await door.asked.next()
    decision(.granted("kim", door.grant))
    #expect(try await answer == Array("kim".utf8) + request)
    await door.stop()
  }

  @Test("streams of requests and of responses wait for the decision, too")
  func streams() async throws {
    let door = try Doorman()
    let stream = door.channel.serverStream("/t.Late/Twice", [1, 2], timeout: patience)
    try await door.asked.next()(.admitted("kim"))
    var responses: [[UInt8]] = []
    for try await response in stream { responses.append(response) }
    #expect(responses == [[1, 2], [1, 2]])
    let (writer, answer) = door.channel.clientStream("/t.Late/Count", timeout: patience)
    for message: UInt8 in 1...5 { _ = await writer.send([message]) }
    let decision = try await door.asked.next()
    for message: UInt8 in 6...9 { _ = await writer.send([message]) }
    decision(.admitted("kim"))
    writer.finish()
    #expect(try await answer.message() == [9])
    await door.stop()
  }

  @Test("who is refused later gets the status, and the connection goes on")
  func refused() async throws {
    let door = try Doorman()
    async let status = failure { () throws(Status) in try await door.name([1]) }
    try await door.asked.next()(.refused(Status(.permissionDenied, "not today")))
    #expect(try await status == Status(.permissionDenied, "not today"))
    async let answer = door.name()
    try await door.asked.next()(.admitted("kim"))
    #expect(try await answer == Array("kim".utf8))
    await door.stop()
  }

  @Test("the first answer counts; a second one changes nothing")
  func twice() async throws {
    let door = try Doorman()
    async let answer = door.name()
    let decision = try await door.asked.next()
    decision(.admitted("kim"))
    decision(.refused(Status(.permissionDenied, "too late")))
    #expect(try await answer == Array("kim".utf8))
    await door.stop()
  }

  @Test("a decision that is forgotten, or put off again, ends the call")
  func forgotten() async throws {
    let door = try Doorman()
    async let status = failure { () throws(Status) in try await door.name() }
    _ = try await door.asked.next()
    #expect(try await status.code == .unavailable)
    async let again = failure { () throws(Status) in try await door.name() }
    try await door.asked.next()(.later { _ in })
    #expect(try await again.code != .ok)
    await door.stop()
  }

  @Test("a call that ended before the decision is over: the decision changes nothing")
  func cancelled() async throws {
    let door = try Doorman()
    let results = Signal<StatusCode?>()
    let handle = door.channel.startUnary("/t.Late/Name", [1]) { result in
      if case .failure(let status) = result { results.send(status.code) } else { results.send(nil) }
    }
    let decision = try await door.asked.next()
    handle.cancel()
    #expect(try await results.next() == .cancelled)
    decision(.granted("kim", door.grant))
    // Only one call of a grant may be under way: the cancelled one does not count.
    async let answer = door.name()
    try await door.asked.next()(.granted("kim", door.grant))
    #expect(try await answer == Array("kim".utf8))
    await door.stop()
  }

  @Test("a grant that was revoked meanwhile, or has its calls under way, refuses at the decision")
  func grants() async throws {
    let door = try Doorman()
    let held = CallerGrant()
    let (writer, first) = door.channel.clientStream("/t.Late/Count", timeout: patience)
    try await door.asked.next()(.granted("kim", held))
    async let busy = failure { () throws(Status) in try await door.name() }
    try await door.asked.next()(.granted("kim", held))
    #expect(try await busy.code == .resourceExhausted)
    writer.finish()
    #expect(try await first.message() == [0])
    let revoked = CallerGrant()
    revoked.revoke(Status(.unauthenticated, "gone"))
    async let gone = failure { () throws(Status) in try await door.name() }
    try await door.asked.next()(.granted("kim", revoked))
    #expect(try await gone.code == .unauthenticated)
    await door.stop()
  }

  @Test("a drain ends what is undecided when its grace is over, and the deadline does before")
  func drain() async throws {
    let door = try Doorman()
    async let late = failure { () throws(Status) in
      try await door.channel.unary("/t.Late/Name", [], timeout: .milliseconds(1))
    }
    #expect(try await late.code == .deadlineExceeded)
    async let status = failure { () throws(Status) in try await door.name() }
    let first = try await door.asked.next()
    let second = door.asked.pending > 0 ? try await door.asked.next() : first
    await door.server.drain(grace: .milliseconds(1))
    #expect(try await status.code == .unavailable)
    for decision in [first, second] { decision(.admitted("kim")) }
    #expect(door.server.statistics.activeCalls == 0)
    await door.channel.close()
  }

  @Test("what arrives of an undecided request is bounded by its window, and given back")
  func charged() async throws {
    let door = try Doorman()
    // Ten times the window of a stream.
    let (writer, answer) = door.channel.clientStream("/t.Late/Count", timeout: patience)
    let decision = try await door.asked.next()
    let flood = Task {
      for _ in 0..<100 { _ = await writer.send([UInt8](repeating: 7, count: 10_000)) }
      writer.finish()
    }
    try await waitUntil { door.grant.payer.chargedBytes == 0 }
    decision(.granted("kim", door.grant))
    await flood.value
    #expect(try await answer.message() == [100])
    try await waitUntil { door.grant.payer.chargedBytes == 0 }
    await door.stop()
  }
}
