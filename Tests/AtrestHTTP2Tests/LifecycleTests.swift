// SPDX-License-Identifier: Apache-2.0
// Specifies the lifecycle of a server connection: timers, pings, abuse, drain.

import Testing

@testable import AtrestHTTP2

@Suite("The life of a server connection", .timeLimit(.minutes(20)))
struct LifecycleTests {
  // MARK: Deadlines

  @Test("on its deadline the server itself answers and cancels")
  func deadline() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([("grpc-timeout", "100m")])))
    #expect(peer.server.nextDeadline == Instant.start.advanced(by: .milliseconds(100)))
    peer.wait(.milliseconds(99))
    #expect(peer.cancellations.isEmpty)
    peer.wait(.milliseconds(1))
    #expect(peer.cancellations == [.deadlineExceeded])
    #expect(peer.headerBlocks().first?["grpc-status"] == "4")
    #expect(peer.server.send([1], on: peer.call()) == .gone)
    peer.send(.reset(1, 8))
    #expect(peer.cancellations.count == 1)
    #expect(peer.server.openCalls == 0)
  }

  @Test("a client's reset on the deadline may come first")
  func deadlineAfterReset() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([("grpc-timeout", "100m")])))
    peer.send(.reset(1, 8))
    peer.wait(.milliseconds(100))
    #expect(peer.cancellations == [.reset(code: 8)])
    #expect(peer.headerBlocks().isEmpty)
  }

  @Test("on its deadline a call with messages sent ends in trailers; half a message, in a reset")
  func deadlineWhileSending() {
    let peer = RawClient(settings: [(4, 100)])
    let timeout = requestFields([("grpc-timeout", "100m")])
    peer.send(.headers(1, timeout, end: true), .headers(3, timeout, end: true))
    _ = peer.server.send([1], on: peer.call(1))
    _ = peer.server.send([UInt8](repeating: 0, count: 200), on: peer.call(3))
    peer.flush()
    peer.wait(.milliseconds(100))
    #expect(peer.frames(of: 3).map(\.stream) == [3])
    #expect(peer.frames(of: 3).map(\.errorCode) == [8])
    #expect(peer.headerBlocks().last?["grpc-status"] == "4")
    #expect(peer.server.openCalls == 0)
  }

  @Test("on its deadline a message half handed to the owner is never followed by trailers")
  func deadlineInsideMessage() {
    var limits = Limits()
    limits.outputHighWaterBytes = 20_000
    let peer = RawClient(limits: limits, settings: [(4, 1_000_000)])
    peer.send(.window(0, 1_000_000))
    peer.send(.headers(1, requestFields([("grpc-timeout", "1S")]), end: true))
    _ = peer.server.send(noise(100_000, seed: 1), on: peer.call())
    var output: [UInt8] = []
    peer.server.appendOutput(to: &output)
    peer.frames += peer.reader.read(output)
    peer.wait(.seconds(1))
    #expect(peer.cancellations == [.deadlineExceeded])
    #expect(peer.frames(of: 3).map(\.errorCode) == [8])
    #expect(peer.frames(of: 1).count == 1)
  }

  // MARK: Idle peers

  @Test("no preface in time, no connection")
  func handshake() {
    let peer = RawClient(handshake: false)
    peer.wait(.seconds(5))
    #expect(peer.server.isFinished)
    let half = RawClient(handshake: false)
    half.send(Array(preface.dropLast()))
    half.wait(.seconds(5))
    #expect(half.server.isFinished)
    let garbage = RawClient(handshake: false)
    garbage.send(Array("GET / HTTP/1.1\r\n\r\n and more than a preface".utf8))
    #expect(garbage.server.isFinished)
  }

  @Test("no request in time: the connection is drained, politely")
  func firstRequest() {
    let peer = RawClient()
    peer.wait(.seconds(10))
    #expect(peer.goAways.map(\.errorCode) == [0])
    #expect(!peer.server.isFinished)
    peer.answerPings()
    #expect(peer.server.isFinished)
  }

  @Test("headers that never end take the connection with them")
  func slowHeaders() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()))
    peer.send(Frame(type: 1, stream: 3, payload: hpackLiteral(":method", "POST")))
    peer.wait(.seconds(10))
    #expect(peer.server.isFinished)
    #expect(peer.cancellations == [.connectionLost])
  }

  @Test("a malformed header block costs its stream, not the connection")
  func malformedHeaders() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(), end: true))
    peer.send(.headers(3, requestFields([("Upper", "1")])), .headers(5, [(":path", "/")]))
    #expect(peer.frames(of: 3).map(\.stream) == [3, 5])
    #expect(peer.started.count == 1)
    peer.wait(.seconds(30))
    #expect(!peer.server.isFinished)
    #expect(peer.server.openCalls == 1)
  }

  @Test("a body that stops arriving ends its call; silence between messages does not")
  func slowBody() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()), .headers(3, requestFields()))
    peer.send(.headers(5, requestFields()), .data(5, lpm([1])))
    for _ in 0..<5 {
      peer.wait(.seconds(6))
      peer.send(.data(3, Array(lpm(noise(50, seed: 1)).prefix(6))))
    }
    #expect(
      peer.events.filter {
        if case .cancelled(let call, .stalled) = $0 { call == peer.call(1) } else { false }
      }.count == 1)
    // Stream 3 made progress all the time.
    #expect(peer.cancellations.count <= 2)
    peer.answerPings()
    peer.wait(.seconds(30))
    peer.answerPings()
    #expect(peer.server.send([1], on: peer.call(5)) == .queued)
  }

  @Test("a stream of messages may be silent before its first one, not inside one")
  func silentStream() {
    let peer = RawClient()
    peer.onEvent = { event, server in
      if case .started(let call, _) = event { server.expectMessages(call) }
    }
    peer.send(.headers(1, requestFields()), .headers(3, requestFields()))
    peer.wait(.seconds(50))
    #expect(peer.cancellations.isEmpty)
    peer.send(.data(3, Array(lpm([1, 2]).prefix(6))))
    peer.wait(.seconds(9))
    #expect(peer.cancellations.isEmpty)
    peer.wait(.seconds(1))
    #expect(peer.cancellations == [.stalled])
    #expect(peer.server.send([1], on: peer.call(1)) == .queued)
  }

  @Test("where only the end of a request is due, neither silence nor more bytes put it off")
  func endOverdue() {
    let peer = RawClient()
    peer.onEvent = { event, server in
      if case .message(let call, _) = event { server.expectEnd(call) }
    }
    peer.send(.headers(1, requestFields()), .data(1, lpm([1])))
    peer.send(.headers(3, requestFields()), .data(3, lpm([1])))
    peer.send(.headers(5, requestFields()), .data(5, lpm([1])))
    peer.wait(.seconds(6))
    peer.send(.data(3, [0, 0]), .data(5, [], end: true))
    peer.wait(.seconds(6))
    #expect(peer.cancellations == [.stalled, .stalled])
    #expect(peer.server.send([1], on: peer.call(5)) == .queued)
  }

  @Test("a client that does not read its response is cut off")
  func writeStall() {
    let peer = RawClient(settings: [(4, 100)])
    peer.send(.headers(1, requestFields(), end: true))
    _ = peer.server.send(noise(500, seed: 1), on: peer.call())
    peer.flush()
    for _ in 0..<12 {
      peer.wait(.seconds(10))
      peer.answerPings()
    }
    #expect(peer.cancellations == [.stalled])
    #expect(peer.frames(of: 3).map(\.errorCode) == [8])
  }

  @Test("silence is answered with a ping, and further silence with the end")
  func keepalive() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(), end: true))
    peer.wait(.seconds(60))
    #expect(peer.frames(of: 6).count == 1)
    peer.answerPings()
    peer.wait(.seconds(60))
    #expect(peer.frames(of: 6).count == 1)
    peer.wait(.seconds(20))
    #expect(peer.cancellations == [.connectionLost])
    #expect(peer.server.isFinished)
    #expect(peer.server.nextDeadline == nil)
  }

  @Test("a connection without calls is drained after a while")
  func idle() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(), end: true))
    peer.server.finish(peer.call(), .ok)
    peer.flush()
    for _ in 0..<14 {
      peer.wait(.seconds(60))
      peer.answerPings()
    }
    #expect(peer.goAways.isEmpty)
    peer.wait(.seconds(60))
    peer.answerPings()
    #expect(peer.goAways.map(\.errorCode) == [0, 0])
    #expect(peer.server.isFinished)
  }

  @Test("waking at nextDeadline always moves it on", arguments: 0..<20)
  func noBusyLoop(seed: UInt64) {
    let choices = noise(40, seed: seed)
    let peer = RawClient(settings: [(4, 50)])
    var stream: UInt32 = 1
    for choice in choices {
      switch choice % 8 {
      case 0:
        peer.send(.headers(stream, requestFields([("grpc-timeout", "\(choice)S")])))
        stream += 2
      case 1: peer.send(.data(stream > 2 ? stream - 2 : 1, [0, 0, 0]))
      case 2:
        _ = peer.server.send(noise(99, seed: 1), on: CallID(Int32(stream > 2 ? stream - 2 : 1)))
      case 3: peer.answerPings()
      case 4: peer.server.finish(CallID(Int32(stream > 2 ? stream - 2 : 1)), .ok)
      case 5: if choice == 5 { peer.server.beginDrain(at: peer.now) }
      default:
        guard let next = peer.server.nextDeadline else { return }
        peer.wait(max(next, peer.now).duration(since: peer.now))
        let later = peer.server.nextDeadline
        #expect(later == nil || later ?? peer.now > peer.now, "seed \(seed)")
      }
    }
  }

  // MARK: Abuse

  @Test("pings too often: too_many_pings")
  func pingStrikes() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()))
    for _ in 0..<3 { peer.send(.ping()) }
    #expect(peer.goAways.isEmpty)
    peer.send(.ping())
    #expect(peer.goAways.map(\.errorCode) == [11])
    #expect(peer.goAways.first?.payload.suffix(14) == Array("too_many_pings".utf8)[...])
    #expect(peer.cancellations == [.connectionLost])
    #expect(peer.server.isFinished)
  }

  @Test("pings at the permitted rate, or each after data from us, are fine")
  func politePings() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()), .data(1, lpm([1])))
    for _ in 0..<20 {
      peer.wait(.seconds(20))
      peer.send(.ping())
      peer.send(.data(1, lpm([1])))
    }
    for _ in 0..<20 {
      _ = peer.server.send([1], on: peer.call())
      peer.flush()
      peer.send(.ping())
    }
    #expect(peer.goAways.isEmpty)
    #expect(peer.frames(of: 6).count == 40)
  }

  @Test("rapid reset: the connection is ended, its calls with it")
  func rapidReset() {
    let peer = RawClient()
    var stream: UInt32 = 1
    while stream < 400, !peer.server.isFinished {
      peer.send(.headers(stream, requestFields()))
      peer.send(.reset(stream, 8))
      stream += 2
    }
    #expect(stream / 2 == 101)
    #expect(peer.goAways.map(\.errorCode) == [11])
    #expect(peer.cancellations.count == peer.started.count)
  }

  @Test("resets spread over time are a person changing their mind")
  func slowReset() {
    let peer = RawClient()
    var stream: UInt32 = 1
    for _ in 0..<300 {
      peer.send(.headers(stream, requestFields()))
      peer.send(.reset(stream, 8))
      peer.wait(.seconds(1))
      stream += 2
    }
    #expect(peer.goAways.isEmpty)
  }

  @Test("resets that the client provokes have a budget too")
  func ownResets() {
    let peer = RawClient()
    var stream: UInt32 = 1
    while stream < 400, !peer.server.isFinished {
      // A window overflow is a stream error: this side sends RST_STREAM(FLOW_CONTROL_ERROR).
      peer.send(.headers(stream, requestFields()), .window(stream, 0x7FFF_FFFF))
      stream += 2
    }
    #expect(stream / 2 == 51)
    #expect(peer.goAways.last?.errorCode == 11)
    #expect(peer.server.isFinished)
  }

  @Test("a client that reads no refusals is not read either, until it does")
  func unreadRefusals() {
    let peer = RawClient(handshake: false)
    // Our SETTINGS are never acknowledged: every call above their limit is refused with a frame.
    var bytes = preface + Frame.settings().bytes
    for number in 0..<3_000 {
      bytes += Frame.headers(UInt32(2 * number + 1), requestFields(), end: true).bytes
    }
    bytes.withUnsafeBytes { peer.take(peer.server.receive($0, at: peer.now)) }
    #expect(!peer.server.acceptsInput)
    peer.flush()
    #expect(peer.server.acceptsInput)
    #expect(peer.frames(of: 3).count == 2_900)
    #expect(peer.goAways.isEmpty)
  }

  @Test("a broken frame ends the connection and every call")
  func protocolError() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()))
    peer.send(Frame(type: 0, stream: 0, payload: [1]))
    #expect(peer.goAways.map(\.errorCode) == [1])
    #expect(peer.cancellations == [.connectionLost])
    #expect(peer.server.isFinished)
    peer.send(.headers(3, requestFields()))
    #expect(peer.started.count == 1)
  }

  @Test("the peer closing cancels every call, once")
  func peerClosed() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()), .headers(3, requestFields()))
    peer.take(peer.server.peerClosed(at: peer.now))
    peer.take(peer.server.peerClosed(at: peer.now))
    #expect(peer.cancellations == [.connectionLost, .connectionLost])
    #expect(peer.server.isFinished)
  }

  @Test("whatever bytes arrive, nothing traps", arguments: 0..<200)
  func garbage(seed: UInt64) {
    let peer = RawClient()
    peer.onEvent = { event, server in
      if case .message(let call, let bytes) = event { _ = server.send(bytes, on: call) }
    }
    var bytes: [UInt8] = []
    for (index, byte) in noise(60, seed: seed).enumerated() {
      let stream = UInt32(byte % 4) * 2 + 1
      switch byte % 7 {
      case 0, 1: bytes += Frame.headers(stream + UInt32(index) / 8 * 8, requestFields()).bytes
      case 2: bytes += Frame.data(stream, lpm([1]) + [0, 0], end: byte > 128).bytes
      case 3: bytes += Frame.reset(stream, UInt32(byte)).bytes
      case 4: bytes += Frame.window(stream, UInt32(byte)).bytes
      case 5: bytes += Frame.data(stream, noise(9, seed: UInt64(byte))).bytes
      default: bytes += Frame(type: byte % 12, flags: byte, stream: stream, payload: [byte]).bytes
      }
    }
    // One bit is flipped, so that frame boundaries shift.
    bytes[Int(seed) * 31 % bytes.count] ^= 1 << (seed % 8)
    peer.send(bytes)
    for _ in 0..<30 {
      guard let next = peer.server.nextDeadline else { break }
      peer.wait(max(next, peer.now).duration(since: peer.now))
    }
    peer.take(peer.server.peerClosed(at: peer.now))
    #expect(peer.server.openCalls == 0, "seed \(seed)")
  }

  // MARK: Shutdown

  @Test("drain: GOAWAY for soon, GOAWAY for good, then the last call ends it")
  func drain() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(), end: true))
    peer.server.beginDrain(at: peer.now)
    peer.flush()
    #expect(peer.goAways.map { number($0.payload.prefix(4)) } == [0x7FFF_FFFF])
    // In flight when the notice was read: still served.
    peer.send(.headers(3, requestFields(), end: true))
    #expect(peer.started.count == 2)
    var answer = peer.frames(of: 6).first ?? .ping()
    answer.flags = Frame.ack
    // In the same read as the ACK: the second GOAWAY is queued but not sent yet.
    peer.send(answer, .headers(5, requestFields(), end: true))
    #expect(peer.goAways.map { number($0.payload.prefix(4)) } == [0x7FFF_FFFF, 3])
    #expect(peer.frames(of: 3).map(\.errorCode) == [7])
    peer.send(.headers(7, requestFields(), end: true))
    #expect(peer.started.count == 2)
    peer.server.reply([1], to: peer.call(1))
    peer.flush()
    #expect(!peer.server.isFinished)
    peer.server.reply([1], to: peer.call(3))
    peer.flush()
    #expect(peer.server.isFinished)
    #expect(peer.cancellations.isEmpty)
  }

  @Test("the answer to another ping does not end a drain's notice")
  func drainOtherPing() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(), end: true))
    peer.server.beginDrain(at: peer.now)
    peer.flush()
    var answer = Frame.ping()
    answer.flags = Frame.ack
    peer.send(answer)
    #expect(peer.goAways.count == 1)
    peer.send(.headers(3, requestFields(), end: true))
    #expect(peer.started.count == 2, "requests on their way still count")
  }

  @Test("drain does not wait for a peer that does not answer")
  func drainTimer() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(), end: true))
    peer.server.beginDrain(at: peer.now)
    peer.wait(.seconds(1))
    #expect(peer.goAways.count == 2)
    peer.wait(.seconds(9))
    #expect(peer.cancellations == [.draining])
    #expect(peer.headerBlocks().last?["grpc-status"] == "14")
    #expect(peer.server.isFinished)
  }

  @Test("drain ends even when the last words cannot be said")
  func drainStuck() {
    let peer = RawClient(settings: [(4, 0)])
    peer.send(.headers(1, requestFields(), end: true))
    peer.server.reply(noise(500, seed: 1), to: peer.call())
    peer.server.beginDrain(at: peer.now)
    for _ in 0..<11 {
      #expect(!peer.server.isFinished)
      peer.wait(.seconds(1))
    }
    #expect(peer.server.isFinished)
  }

  @Test("an idle connection that drains is finished at the second GOAWAY")
  func drainIdle() {
    let peer = RawClient()
    peer.server.beginDrain(at: peer.now)
    peer.flush()
    peer.answerPings()
    #expect(peer.goAways.count == 2)
    #expect(peer.server.isFinished)
  }

  @Test("a client's GOAWAY lets its calls finish")
  func clientGoAway() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(), end: true))
    peer.send(.goAway(last: 0, code: 0))
    #expect(!peer.server.isFinished)
    peer.server.reply([1], to: peer.call())
    peer.flush()
    #expect(peer.headerBlocks().last == ["grpc-status": "0"])
    #expect(peer.server.isFinished)
  }
}
