// SPDX-License-Identifier: Apache-2.0
// Specifies calls between a real client and server: messages, metadata, statuses, compression.

import Testing

@testable import AtrestHTTP2

@Suite("A call through both ends", .timeLimit(.minutes(20)))
struct EchoTests {
  @Test("a unary call comes back with its message and OK", arguments: [1, 2, 7, 65536])
  func unary(pieceBytes: Int) {
    let pair = Pair()
    pair.pieceBytes = pieceBytes
    pair.echo()
    pair.begin([1, 2, 3])
    pair.pump()
    #expect(pair.responses == [[1, 2, 3]])
    #expect(pair.statuses == [.ok])
    #expect(pair.head?.path == "/test.Echo/Say")
    #expect(pair.head?.authority == "localhost")
    #expect(pair.client.openCalls == 0)
    #expect(pair.server.openCalls == 0)
  }

  @Test("a message of no bytes is a message")
  func emptyMessage() {
    let pair = Pair()
    pair.echo()
    pair.begin([])
    pair.pump()
    #expect(pair.responses == [[]])
    #expect(pair.statuses == [.ok])
  }

  @Test("a hundred calls run at once and none is mixed up")
  func concurrent() {
    let pair = Pair()
    pair.echo()
    pair.pump()
    for index in 0..<100 { pair.begin([UInt8(index)]) }
    #expect(!pair.client.canStartCall)
    pair.pump()
    #expect(Set(pair.responses.map { $0[0] }).count == 100)
    #expect(pair.statuses.count == 100)
    #expect(pair.client.canStartCall)
  }

  @Test("a message larger than every window arrives", arguments: [100_000, 256 * 1024])
  func large(size: Int) {
    let pair = Pair()
    pair.echo()
    let message = noise(size, seed: 7)
    pair.begin(message)
    pair.pump()
    let isBack = pair.responses == [message]
    #expect(isBack)
    #expect(pair.statuses == [.ok])
  }

  @Test("many messages both ways keep their order")
  func streaming() {
    let pair = Pair()
    pair.onServer = { event, server in
      switch event {
      case .message(let call, let bytes):
        #expect(server.send(bytes + [0xFF], on: call) == .queued)
      case .endOfRequest(let call): server.finish(call, .ok)
      default: break
      }
    }
    let call = pair.begin([0], end: false)
    for index in 1..<50 {
      if let call { _ = pair.client.send([UInt8(index)], on: call, end: index == 49) }
      if index % 7 == 0 { pair.pump() }
    }
    pair.pump()
    #expect(pair.requests == (0..<50).map { [UInt8($0)] })
    #expect(pair.responses == (0..<50).map { [UInt8($0), 0xFF] })
    #expect(pair.statuses == [.ok])
  }

  @Test("a call without any message ends by finishSending")
  func noMessage() {
    let pair = Pair()
    pair.onServer = { event, server in
      if case .endOfRequest(let call) = event { server.finish(call, Status(.unimplemented)) }
    }
    if let call = pair.client.start(path: "/a.B/C", at: pair.now) {
      pair.client.finishSending(call)
    }
    pair.pump()
    #expect(pair.statuses.map(\.code) == [.unimplemented])
  }

  @Test(
    "status messages survive whatever they hold",
    arguments: [
      "", "plain", "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n", "100 %",
      "  spaces around  ", " ",
    ])
  func statusMessage(text: String) {
    let pair = Pair()
    pair.onServer = { event, server in
      if case .started(let call, _) = event { server.finish(call, Status(.unknown, text)) }
    }
    pair.begin()
    pair.pump()
    #expect(pair.statuses == [Status(.unknown, text)])
  }

  @Test(
    "details and further trailers arrive, before and after a message", arguments: [true, false])
  func details(afterMessage: Bool) {
    var metadata = Metadata()
    metadata.add("x-trace", "abc")
    metadata.add("x-raw-bin", binary: [0, 255, 10])
    metadata.add("grpc-retry-pushback-ms", "100")
    let status = Status(
      .failedPrecondition, "no", details: [8, 9, 0, 255], metadata: metadata)
    let pair = Pair()
    pair.onServer = { event, server in
      guard case .message(let call, let bytes) = event else { return }
      if afterMessage { _ = server.send(bytes, on: call) }
      server.finish(call, status)
    }
    pair.begin()
    pair.pump()
    #expect(pair.statuses == [status])
    #expect(pair.responses.count == (afterMessage ? 1 : 0))
  }

  @Test("a status too large for clients is cut, never lost")
  func hugeStatus() {
    let pair = Pair()
    pair.onServer = { event, server in
      guard case .started(let call, _) = event else { return }
      let message = String(repeating: "😈", count: 4000)
      server.finish(call, Status(.aborted, message, details: noise(9000, seed: 1)))
    }
    pair.begin()
    pair.pump()
    #expect(pair.statuses.map(\.code) == [.aborted])
    #expect(pair.statuses.first?.details == [])
    #expect(pair.statuses.first?.message == String(repeating: "😈", count: 1024 / 12))
  }

  @Test("metadata arrives with its bytes, and without what belongs to the protocol")
  func metadata() {
    var metadata = Metadata()
    let taken = [
      metadata.add("Authorization", "Bearer abc"), metadata.add("x-bin", binary: []),
      metadata.add("x-bin", binary: [1]),
    ]
    let refused = [
      metadata.add("grpc-timeout", "1S"), metadata.add("x-bin", "text"),
      metadata.add("x-text", binary: [1]), metadata.add("x-line", "a\nb"),
      metadata.add("sp ace", "a"), metadata.add(":path", "/"),
    ]
    #expect(taken == [true, true, true])
    #expect(refused.allSatisfy { !$0 })
    let pair = Pair()
    pair.begin(metadata: metadata)
    pair.pump()
    #expect(pair.head?.metadata.names == ["user-agent", "authorization", "x-bin", "x-bin"])
    #expect(pair.head?.metadata.text("authorization") == "Bearer abc")
    #expect(pair.head?.metadata.allBinary("x-bin") == [[], [1]])
    #expect(pair.head?.metadata.description.contains("abc") == false)
  }

  @Test(
    "each compression carries large messages, and spares small ones",
    arguments: [Compression.gzip, .deflate, .identity])
  func compression(_ compression: Compression) {
    let pair = Pair(compression: compression)
    pair.echo()
    let message = (0..<200).flatMap { noise(4, seed: $0) + [UInt8](repeating: 65, count: 96) }
    pair.begin(message)
    pair.begin([1, 2])
    pair.pump()
    let areBack = pair.responses.sorted { $0.count < $1.count } == [[1, 2], message]
    #expect(areBack)
    #expect(pair.statuses == [.ok, .ok])
    // The client always accepts gzip, so the response is small in any case.
    #expect(pair.bytesCarried < (compression == .identity ? 24_000 : 5_000))
  }

  @Test("what does not shrink travels as it is")
  func incompressible() {
    let pair = Pair(compression: .gzip)
    pair.echo()
    let message = noise(5000, seed: 3)
    pair.begin(message)
    pair.pump()
    let isBack = pair.responses == [message]
    #expect(isBack)
  }

  @Test("what shrinks so much that it would look like a bomb travels as it is")
  func monotone() {
    let pair = Pair(compression: .gzip)
    pair.echo()
    let message = [UInt8](repeating: 65, count: 200_000)
    pair.begin(message)
    pair.pump()
    let isBack = pair.responses == [message]
    #expect(isBack)
    #expect(pair.statuses == [.ok])
  }
}
