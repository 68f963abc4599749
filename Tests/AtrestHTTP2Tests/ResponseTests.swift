// SPDX-License-Identifier: Apache-2.0
// Specifies a server's output: headers, data, trailers, resets, flow control.

import Testing

@testable import AtrestHTTP2

@Suite("A response, in raw frames", .timeLimit(.minutes(20)))
struct ResponseTests {
  @Test("a reply is headers, data, trailers, in one flight")
  func reply() {
    let peer = RawClient()
    peer.onEvent = { event, server in
      if case .message(let call, let bytes) = event { server.reply(bytes, to: call) }
    }
    peer.send(.headers(1, requestFields()), .data(1, lpm([7]), end: true))
    #expect(peer.frames.filter { $0.stream == 1 }.map(\.type) == [1, 0, 1])
    #expect(peer.frames(of: 0).first?.payload == lpm([7]))
    let blocks = peer.headerBlocks()
    #expect(
      blocks == [[":status": "200", "content-type": "application/grpc"], ["grpc-status": "0"]])
    #expect(peer.frames.last?.isEnd == true)
    #expect(peer.frames(of: 3).isEmpty)
  }

  @Test("an error before any message is one HEADERS frame")
  func trailersOnly() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(), end: true))
    peer.server.finish(peer.call(), Status(.notFound, "née\t100%"))
    peer.flush()
    #expect(peer.frames.filter { $0.stream == 1 }.count == 1)
    #expect(peer.frames.last?.isEnd == true)
    #expect(
      peer.headerBlocks() == [
        [
          ":status": "200", "content-type": "application/grpc", "grpc-status": "5",
          "grpc-message": "n%C3%A9e%09100%25",
        ]
      ])
  }

  @Test(
    "a call ended while the client sends: trailers, and later RST_STREAM(NO_ERROR)",
    arguments: [true, false])
  func earlyEnd(afterMessage: Bool) {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([("grpc-timeout", "500m")])))
    if afterMessage { _ = peer.server.send([1], on: peer.call()) }
    peer.server.finish(peer.call(), Status(.permissionDenied))
    peer.flush()
    peer.wait(.milliseconds(999))
    // The rest of the request is read, so that it cannot block other calls, and is not reported.
    for _ in 0..<100 { peer.send(.data(1, lpm([UInt8](repeating: 7, count: 4_000)))) }
    #expect(
      peer.frames.filter { $0.stream == 1 && $0.type != 8 }.map(\.type)
        == (afterMessage ? [1, 0, 1] : [1]))
    peer.wait(.milliseconds(1))
    #expect(peer.frames.last { $0.stream == 1 }?.errorCode == 0)
    #expect(peer.frames.last { $0.stream == 1 }?.type == 3)
    #expect(peer.server.openCalls == 0)
    #expect(peer.cancellations.isEmpty)
  }

  @Test("a call ended while the client sends: when the request ends in time, nothing is reset")
  func lateEnd() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()))
    peer.server.finish(peer.call(), Status(.permissionDenied))
    peer.flush()
    #expect(peer.server.openCalls == 1)
    peer.send(.data(1, lpm([7]), end: true))
    #expect(peer.server.openCalls == 0)
    peer.wait(.seconds(2))
    #expect(peer.frames(of: 3).isEmpty)
    #expect(peer.cancellations.isEmpty)
  }

  @Test("verbs tolerate a call that is over")
  func deadVerbs() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()), .reset(1, 8))
    let call = peer.call()
    #expect(peer.server.send([1], on: call) == .gone)
    peer.server.reply([1], to: call)
    peer.server.finish(call, .ok)
    peer.server.stopReading(call)
    peer.server.hold(call)
    peer.take(peer.server.goOn(call))
    peer.flush()
    #expect(peer.frames.filter { $0.stream == 1 }.isEmpty)
  }

  @Test("a call reset in the same read never reaches the owner; later it is cancelled")
  func reset() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()), .reset(1, 8))
    #expect(peer.events.isEmpty)
    peer.send(.headers(3, requestFields()))
    peer.send(.reset(3, 8))
    #expect(peer.cancellations == [.reset(code: 8)])
  }

  @Test("a slow reader: the queue fills, says so, and says when there is room")
  func backpressure() {
    var limits = Limits()
    limits.streamQueueBytes = 10_000
    // The client's initial window is 1,000 bytes per stream.
    let peer = RawClient(limits: limits, settings: [(4, 1000)])
    peer.send(.headers(1, requestFields(), end: true))
    let call = peer.call()
    var taken = 0
    while peer.server.send([UInt8](repeating: 1, count: 995), on: call) == .queued { taken += 1 }
    #expect(taken == 10)
    peer.flush()
    #expect(peer.frames(of: 0).map(\.payload.count) == [1000])
    let isWritable = { peer.events.contains { if case .writable = $0 { true } else { false } } }
    for _ in 0..<4 {
      #expect(!isWritable())
      peer.send(.window(1, 1000))
    }
    #expect(isWritable())
    #expect(peer.server.send([], on: call) == .queued)
    peer.server.finish(call, .ok)
    peer.send(.window(1, 100_000))
    #expect(peer.frames(of: 0).map(\.payload.count).reduce(0, +) == 10_005)
    #expect(peer.headerBlocks().last == ["grpc-status": "0"])
  }

  @Test("one message is always accepted by an empty queue")
  func oneLargeMessage() {
    var limits = Limits()
    limits.streamQueueBytes = 10
    let peer = RawClient(limits: limits)
    peer.send(.headers(1, requestFields(), end: true))
    #expect(peer.server.send(noise(1000, seed: 1), on: peer.call()) == .queued)
    #expect(peer.server.send([1], on: peer.call()) == .queueFull)
  }

  @Test("bodies nobody reads do not close the connection's window")
  func discardedBodies() {
    var limits = Limits()
    limits.connectionWindowBytes = 65_535
    limits.streamWindowBytes = 65_535
    let peer = RawClient(limits: limits)
    var granted = 65_535
    var stream: UInt32 = 1
    for round in 0..<30 {
      peer.frames.removeAll()
      peer.send(.headers(stream, requestFields()))
      if round % 3 == 0 { peer.server.finish(CallID(Int32(stream)), Status(.unauthenticated)) }
      if round % 3 == 1 { peer.server.stopReading(CallID(Int32(stream))) }
      // The third kind is read; the first may even arrive after our RST_STREAM.
      if round % 2 == 0 { peer.flush() }
      for _ in 0..<3 {
        peer.send(.data(stream, noise(10_000, seed: 1)))
        granted -= 10_000
      }
      peer.send(.reset(stream, 8))
      granted += peer.frames(of: 8, stream: 0).map { Int(number($0.payload[...])) }.reduce(0, +)
      #expect(granted >= 30_000, "round \(round)")
      stream += 2
      guard granted >= 30_000 else { return }
    }
    #expect(peer.goAways.isEmpty)
  }

  @Test("a held call holds its stream back, and no other")
  func pausing() {
    var limits = Limits()
    limits.streamWindowBytes = 1000
    let peer = RawClient(limits: limits)
    peer.send(.headers(1, requestFields()), .headers(3, requestFields()))
    peer.server.hold(peer.call(1))
    peer.send(.data(1, lpm([1]) + lpm(noise(900, seed: 1))), .data(3, lpm(noise(900, seed: 2))))
    #expect(peer.messages.map(\.count) == [900])
    #expect(peer.frames(of: 8, stream: 1).isEmpty)
    #expect(!peer.frames(of: 8, stream: 3).isEmpty)
    peer.send(.data(1, [], end: true))
    peer.take(peer.server.goOn(peer.call(1)))
    peer.flush()
    #expect(peer.messages.map(\.count) == [900, 1, 900])
    guard case .endOfRequest = peer.events.last else {
      Issue.record("the end was expected")
      return
    }
  }

  @Test("output stops at the high-water mark, and goes on")
  func highWater() {
    var limits = Limits()
    limits.outputHighWaterBytes = 20_000
    let peer = RawClient(limits: limits, settings: [(4, 1_000_000)])
    peer.send(.window(0, 1_000_000), .headers(1, requestFields(), end: true))
    peer.server.reply(noise(200_000, seed: 1), to: peer.call())
    var output: [UInt8] = []
    peer.server.appendOutput(to: &output)
    #expect((20_000..<40_000).contains(output.count))
    let before = output.count
    peer.server.appendOutput(to: &output)
    #expect(output.count == before)
    peer.frames += peer.reader.read(output)
    peer.flush()
    #expect(peer.frames(of: 0).map(\.payload.count).reduce(0, +) == 200_005)
  }
}
