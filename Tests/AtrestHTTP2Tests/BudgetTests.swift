// SPDX-License-Identifier: Apache-2.0
// Specifies the limits on what a peer makes a server connection buffer, and on useless frames.

import Testing

@testable import AtrestHTTP2

@Suite("The budgets of a server connection", .timeLimit(.minutes(20)))
struct BudgetTests {
  private func statuses(_ peer: RawClient) -> [String?] {
    peer.headerBlocks().map { $0["grpc-status"] }
  }

  // MARK: Messages

  @Test(
    "a call may have a smaller limit for its messages, whenever they come", arguments: [10, 11])
  func messageLimit(count: Int) {
    let peer = RawClient()
    peer.onEvent = { event, server in
      if case .started(let call, _) = event { server.limitMessages(of: call, to: 10) }
    }
    // Headers and message arrive in one piece: the limit is set after the message arrived.
    let body = lpm([UInt8](repeating: 7, count: count))
    peer.send(.headers(1, requestFields()), .data(1, body, end: true))
    // The message follows the headers.
    peer.send(.headers(3, requestFields()))
    peer.send(.data(3, body, end: true))
    // The declared length suffices.
    peer.send(.headers(5, requestFields()), .data(5, Array(body.prefix(5))))
    let isAllowed = count == 10
    #expect(peer.messages.count == (isAllowed ? 2 : 0))
    #expect(peer.cancellations == (isAllowed ? [] : [.badRequest, .badRequest, .badRequest]))
    if !isAllowed { #expect(statuses(peer) == ["8", "8", "8"]) }
  }

  @Test("a smaller limit holds for what a message unpacks to")
  func inflatedLimit() {
    let limits = Limits()
    let plain = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
    guard let packed = Codecs().deflate(plain, as: .gzip, limits: limits) else {
      Issue.record("it should shrink")
      return
    }
    #expect(packed.count < 4_000)
    for limit in [4_096, 5_000] {
      let peer = RawClient()
      peer.onEvent = { event, server in
        if case .started(let call, _) = event { server.limitMessages(of: call, to: limit) }
      }
      peer.send(
        .headers(1, requestFields([("grpc-encoding", "gzip")])),
        .data(1, lpm(packed, flag: 1), end: true))
      #expect(peer.messages.count == (limit == 5_000 ? 1 : 0))
    }
  }

  // MARK: Incomplete requests

  @Test("requests that are not whole share a budget; the call that goes over it ends, others go on")
  func unfinished() {
    var limits = Limits()
    limits.maxUnfinishedBytes = 300_000
    let peer = RawClient(limits: limits)
    let length = 100_000
    let start = Array(lpm([UInt8](repeating: 1, count: length)).dropLast())
    for stream in stride(from: UInt32(1), through: 13, by: 2) {
      peer.send(.headers(stream, requestFields()))
      for piece in stride(from: 0, to: start.count, by: 16_000) {
        peer.send(.data(stream, Array(start[piece..<min(piece + 16_000, start.count)])))
      }
    }
    #expect(!peer.cancellations.isEmpty)
    #expect(Set(statuses(peer)) == ["8"])
    #expect(peer.server.holder.chargedBytes <= 300_000)
    let held = peer.server.holder.chargedBytes
    // The first call was there before: it completes and frees space.
    peer.send(.data(1, [1], end: true))
    #expect(peer.messages.map(\.count) == [length])
    #expect(peer.server.holder.chargedBytes < held)
    #expect(peer.goAways.isEmpty)
  }

  @Test("one message always fits, and a whole one counts until its request ends")
  func keptMessage() {
    var limits = Limits()
    limits.maxUnfinishedBytes = 1_000
    let peer = RawClient(limits: limits)
    peer.onEvent = { event, server in
      if case .message(let call, let bytes) = event {
        server.expectEnd(call, keptBytes: bytes.count)
      }
    }
    peer.send(.headers(1, requestFields()), .data(1, lpm([UInt8](repeating: 1, count: 2_000))))
    #expect(peer.messages.count == 1)
    #expect(peer.server.holder.chargedBytes == 2_000 + ServerStream.ownBytes)
    peer.send(.headers(3, requestFields()), .data(3, lpm([UInt8](repeating: 1, count: 2_000))))
    #expect(statuses(peer) == ["8"] && peer.cancellations.isEmpty)
    peer.send(.data(1, [], end: true))
    #expect(peer.server.holder.chargedBytes == 0)
  }

  @Test("a header block counts as it grows, whatever is done for other calls meanwhile")
  func growingBlock() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(), end: true))
    func piece(_ type: UInt8) -> Frame {
      let value = String(repeating: "v", count: 1_000)
      return Frame(type: type, stream: 3, payload: hpackLiteral("x-piece", value))
    }
    peer.send(piece(1))
    let held = peer.server.holder.chargedBytes
    #expect(held >= 1_000 + ServerStream.ownBytes)
    peer.server.finish(CallID(1), Status(.notFound, "gone"))
    peer.send(piece(9))
    #expect(peer.server.holder.chargedBytes >= held + 1_000)
  }

  /// Starts requests that wait for their end, each with a message of `bytes` bytes.
  private func waiting(_ peer: RawClient, bytes: Int, calls: Int) {
    for index in 0..<UInt32(calls) {
      peer.send(
        .headers(2 * index + 1, requestFields()),
        .data(2 * index + 1, lpm([UInt8](repeating: 1, count: bytes))))
    }
  }

  /// A client of a server that has not received anything yet. It keeps the server's output.
  private func unauthenticated(_ limits: Limits = Limits()) -> RawClient {
    let peer = RawClient(limits: limits)
    peer.server.isAuthenticated = false
    peer.onEvent = { event, server in
      if case .message(let call, let bytes) = event {
        server.expectEnd(call, keptBytes: bytes.count)
      }
    }
    return peer
  }

  @Test("who has proved nothing has a small budget for requests that are not whole")
  func strangersUnfinished() {
    let peer = unauthenticated()
    waiting(peer, bytes: 4_096, calls: 20)
    let whole = 4_096 + ServerStream.ownBytes
    #expect(peer.server.holder.chargedBytes == 64 * 1024 / whole * whole)
    #expect(peer.cancellations.count == 20 - 64 * 1024 / whole)
    #expect(Set(statuses(peer)) == ["8"])
    // The first calls continue and free space when they end.
    peer.send(.data(1, [], end: true))
    peer.send(.headers(41, requestFields()), .data(41, lpm([UInt8](repeating: 1, count: 4_096))))
    #expect(peer.server.holder.chargedBytes == 64 * 1024 / whole * whole)
    #expect(peer.cancellations.count == 20 - 64 * 1024 / whole)
    #expect(peer.goAways.isEmpty)
  }

  @Test("calls that come all at once share an unauthenticated peer's budget as well")
  func strangersUnfinishedAtOnce() {
    let peer = unauthenticated()
    let start = Array(lpm([UInt8](repeating: 1, count: 4_096)).prefix(100))
    var bytes: [UInt8] = []
    for stream in stride(from: UInt32(1), through: 99, by: 2) {
      bytes += Frame.headers(stream, requestFields()).bytes + Frame.data(stream, start).bytes
    }
    peer.send(bytes)
    #expect(peer.started.count == 50)
    #expect(peer.server.holder.chargedBytes <= 64 * 1024)
    #expect(!peer.cancellations.isEmpty && peer.cancellations.count < 50)
  }

  @Test("one message of an unauthenticated peer always fits")
  func strangersMessage() {
    let peer = unauthenticated()
    let body = lpm([UInt8](repeating: 1, count: 200_000))
    peer.send(.headers(1, requestFields()))
    for piece in stride(from: 0, to: body.count, by: 16_000) {
      peer.send(.data(1, Array(body[piece..<min(piece + 16_000, body.count)])))
    }
    #expect(peer.messages.map(\.count) == [200_000])
    #expect(peer.server.holder.chargedBytes == 200_000 + ServerStream.ownBytes)
    #expect(peer.cancellations.isEmpty)
  }

  @Test("proof on the headers of a call lifts the small budget, for calls that came with it too")
  func trusted() {
    let peer = unauthenticated()
    let keep = peer.onEvent
    peer.onEvent = { event, server in
      if case .started(let call, _) = event, call == CallID(19) { server.isAuthenticated = true }
      keep(event, server)
    }
    let start = Array(lpm([UInt8](repeating: 1, count: 16_000)).prefix(100))
    var bytes: [UInt8] = []
    for stream in stride(from: UInt32(1), through: 19, by: 2) {
      bytes += Frame.headers(stream, requestFields()).bytes + Frame.data(stream, start).bytes
    }
    peer.send(bytes)
    // Each call reserves memory for its declared length.
    #expect(peer.server.holder.chargedBytes >= 10 * 16_000)
    #expect(peer.cancellations.isEmpty)
  }

  /// Requests whose headers fill the table with as many fields as fit: 128 of 32 bytes.
  private func fillTable(_ peer: RawClient) {
    for stream in [UInt32(1), 3, 5] {
      let fields = (0..<50).map { index in
        [0x40] + hpackLiteral("f\(stream)\(index)", "").dropFirst()
      }
      var call = Frame.headers(stream, requestFields(), end: true)
      call.payload += fields.flatMap(\.self)
      peer.send(call)
      peer.server.finish(CallID(Int32(stream)), Status(.notFound, "gone"))
      peer.flush()
    }
  }

  @Test("header tables of many small fields count for a peer that has proved nothing")
  func strangersTables() {
    let peer = unauthenticated()
    peer.send(.headers(1, requestFields(), end: true))
    peer.server.finish(CallID(1), Status(.notFound, "gone"))
    peer.flush()
    #expect(peer.server.holder.chargedBytes == 0)

    let crowded = unauthenticated()
    fillTable(crowded)
    #expect(crowded.server.openCalls == 0)
    // 128 entries of two counted buffers each.
    #expect((8 * 1024...32 * 1024).contains(crowded.server.holder.chargedBytes))
    // Proof ends the charge.
    crowded.server.isAuthenticated = true
    crowded.send(.headers(7, requestFields(), end: true))
    crowded.server.finish(CallID(7), Status(.notFound, "gone"))
    crowded.flush()
    crowded.send(.settingsAck)
    #expect(crowded.server.holder.chargedBytes == 0)
  }

  @Test("what a call held is given back however it ends", arguments: 0..<4)
  func givenBack(way: Int) {
    let peer = RawClient()
    peer.send(
      .headers(1, requestFields()),
      .data(1, Array(lpm([UInt8](repeating: 1, count: 999)).dropLast())))
    #expect(peer.server.holder.chargedBytes > 900)
    switch way {
    case 0: peer.send(.reset(1, 8))
    case 1: peer.server.finish(peer.call(), Status(.notFound, ""))
    case 2: peer.server.abort(peer.call(), Status(.notFound, ""))
    default: peer.take(peer.server.peerClosed(at: peer.now))
    }
    // Whatever ended the call, nothing stays charged once the events are taken.
    peer.take(peer.server.pendingEvents)
    #expect(peer.server.holder.chargedBytes == 0)
  }

  @Test("a message that comes steadily, but for too long, ends its call")
  func requestTime() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()), .data(1, [0, 0, 0, 1, 0]))
    for _ in 0..<59 {
      peer.wait(.seconds(1))
      peer.send(.data(1, [1]))
    }
    #expect(peer.cancellations.isEmpty)
    peer.wait(.seconds(1))
    #expect(peer.cancellations == [.stalled])
    #expect(statuses(peer) == ["4"])
  }

  @Test("each message of a stream has the time anew, and silence between them costs none")
  func requestTimePerMessage() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()))
    for _ in 0..<5 {
      peer.answerPings()
      peer.wait(.seconds(8))
      peer.send(.data(1, Array(lpm([1, 2]).prefix(6))))
      peer.wait(.seconds(8))
      peer.send(.data(1, [2]))
      peer.wait(.seconds(15))
    }
    #expect(peer.cancellations.isEmpty)
    #expect(peer.messages.count == 5)
  }

  // MARK: Unread responses

  @Test("answers that nobody reads share a budget: further ones, and further calls, are refused")
  func unread() {
    var limits = Limits()
    limits.maxUnsentBytes = 440_000
    limits.streamQueueBytes = 50_000
    let peer = RawClient(limits: limits, settings: [(4, 0)])
    for stream in stride(from: UInt32(1), through: 15, by: 2) {
      peer.send(.headers(stream, requestFields(), end: true))
    }
    #expect(peer.started.count == 8)
    let answer = [UInt8](repeating: 1, count: 100_000)
    let results = peer.started.map { peer.server.reply(answer, to: $0) }
    #expect(results.prefix(4).allSatisfy { $0 == .queued })
    #expect(results.last == .queueFull)
    #expect(peer.server.holder.chargedBytes <= 440_000)
    peer.flush()
    peer.send(.headers(17, requestFields(), end: true))
    #expect(peer.started.count == 8)
    // Reading frees space.
    peer.send(.window(0, 1_000_000))
    for stream in stride(from: UInt32(1), through: 7, by: 2) { peer.send(.window(stream, 200_000)) }
    peer.send(.headers(19, requestFields(), end: true))
    #expect(peer.started.count == 9)
    #expect(statuses(peer).contains("8"))
  }

  @Test("one answer always fits")
  func largeAnswer() {
    var limits = Limits()
    limits.maxUnsentBytes = 1_000
    let peer = RawClient(limits: limits)
    peer.send(.headers(1, requestFields(), end: true))
    #expect(peer.server.reply([UInt8](repeating: 1, count: 10_000), to: peer.call()) == .queued)
    peer.flush()
    #expect(peer.server.holder.chargedBytes == 0)
  }

  // MARK: Frames without effect

  private static let idle: [(String, Frame)] = [
    ("PRIORITY", Frame(type: 2, stream: 101, payload: [0, 0, 0, 0, 1])),
    ("WINDOW_UPDATE", .window(0, 1)),
    ("empty DATA", .data(1, [])),
    ("padding", Frame(type: 0, flags: 8, stream: 1, payload: [3, 0, 0, 0])),
    ("unknown", Frame(type: 0xbb, payload: [1])),
    ("answers to no ping", Frame(type: 6, flags: 1, payload: [UInt8](repeating: 0, count: 8))),
  ]

  @Test("frames that bring nothing have a budget", arguments: 0..<6)
  func idleFrames(kind: Int) {
    let (name, frame) = Self.idle[kind]
    var limits = Limits()
    limits.maxIdleFrames = 100
    let peer = RawClient(limits: limits)
    peer.send(.headers(1, requestFields()))
    // The two frames of the handshake count too.
    for _ in 0..<98 { peer.send(frame) }
    #expect(peer.goAways.isEmpty, "\(name)")
    for _ in 0..<4 { peer.send(frame) }
    #expect(peer.goAways.map(\.errorCode) == [11], "\(name)")
    #expect(peer.server.isFinished)
    #expect(peer.cancellations == [.connectionLost])
  }

  @Test("what was on its way for a call that was refused early does not count; more of it does")
  func lateData() {
    var limits = Limits()
    limits.maxIdleFrames = 100
    let peer = RawClient(limits: limits)
    peer.onEvent = { event, server in
      if case .started(let call, _) = event { server.finish(call, Status(.unauthenticated, "")) }
    }
    for index in UInt32(0)..<40 {
      peer.send(.headers(2 * index + 1, requestFields()))
      for _ in 0..<16 { peer.send(.data(2 * index + 1, [UInt8](repeating: 1, count: 100))) }
    }
    #expect(peer.goAways.isEmpty)
    for _ in 0..<40 * 64 { peer.send(.data(1, [1])) }
    #expect(peer.goAways.map(\.errorCode) == [11])
  }

  @Test("the end of a request that was refused early is no empty frame")
  func lateEnds() {
    var limits = Limits()
    limits.maxIdleFrames = 10
    let peer = RawClient(limits: limits)
    peer.onEvent = { event, server in
      if case .started(let call, _) = event { server.finish(call, Status(.unauthenticated, "")) }
    }
    for index in UInt32(0)..<40 {
      peer.send(.headers(2 * index + 1, requestFields()))
      peer.send(.data(2 * index + 1, [], end: true))
    }
    #expect(peer.goAways.isEmpty)
    #expect(peer.server.openCalls == 0)
  }

  @Test("time forgives frames that bring nothing")
  func idleFramesLater() {
    var limits = Limits()
    limits.maxIdleFrames = 100
    let peer = RawClient(limits: limits)
    peer.send(.headers(1, requestFields()), .data(1, lpm([1])))
    for _ in 0..<10 {
      for _ in 0..<90 { peer.send(.window(0, 1)) }
      peer.wait(.seconds(60))
      peer.answerPings()
    }
    #expect(peer.goAways.isEmpty)
  }

  @Test("whoever reads what the server sends may say so in the smallest steps")
  func windowUpdates() {
    var limits = Limits()
    limits.maxIdleFrames = 100
    let peer = RawClient(limits: limits)
    peer.send(.headers(1, requestFields(), end: true))
    for _ in 0..<200 {
      #expect(peer.server.send([UInt8](repeating: 1, count: 1_000), on: peer.call()) == .queued)
      peer.flush()
      // For each frame, one WINDOW_UPDATE of the stream and several of the connection.
      peer.send(.window(1, 1_005))
      for _ in 0..<15 { peer.send(.window(0, 67)) }
    }
    #expect(peer.goAways.isEmpty)
  }

  @Test("calls that are answered may come with frames of their own")
  func framesOfCalls() {
    var limits = Limits()
    limits.maxIdleFrames = 100
    let peer = RawClient(limits: limits)
    peer.onEvent = { event, server in
      if case .endOfRequest(let call) = event { server.reply([1], to: call) }
    }
    for index in UInt32(0)..<500 {
      let stream = 2 * index + 1
      peer.send(
        Frame(type: 2, stream: stream, payload: [0, 0, 0, 0, 1]), .headers(stream, requestFields()),
        .data(stream, lpm([1]), end: true),
        Frame(type: 2, stream: stream, payload: [0, 0, 0, 0, 9]))
    }
    #expect(peer.started.count == 500)
    #expect(peer.goAways.isEmpty)
  }
}
