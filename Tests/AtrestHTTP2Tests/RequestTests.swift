// SPDX-License-Identifier: Apache-2.0
// Specifies how a server parses requests, frame by frame, and which it rejects.

import Testing

@testable import AtrestHTTP2

@Suite("A request, in raw frames", .timeLimit(.minutes(20)))
struct RequestTests {
  @Test("a request one byte at a time is the same request")
  func byteByByte() {
    let peer = RawClient(handshake: false)
    let bytes =
      preface + Frame.settings().bytes + Frame.headers(1, requestFields()).bytes
      + lpm([1, 2, 3]).flatMap { Frame.data(1, [$0]).bytes } + Frame.data(1, [], end: true).bytes
    for byte in bytes { peer.send([byte]) }
    #expect(peer.messages == [[1, 2, 3]])
    guard peer.events.count == 3, case .endOfRequest = peer.events[2] else {
      Issue.record("started, message, end were expected: \(peer.events)")
      return
    }
  }

  @Test("many messages in one frame, and one message over many frames")
  func framing() {
    let peer = RawClient()
    let many = (0..<20).flatMap { lpm([UInt8](repeating: 9, count: $0)) }
    peer.send(.headers(1, requestFields()), .data(1, many + [0, 0]), .data(1, [0, 0]))
    peer.send(.data(1, [2, 7]), .data(1, [8], end: true))
    #expect(peer.messages == (0..<20).map { [UInt8](repeating: 9, count: $0) } + [[7, 8]])
  }

  @Test("trailers of a request end it")
  func requestTrailers() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()), .data(1, lpm([5])))
    peer.send(.headers(1, [("x-checksum", "1")], end: true))
    #expect(peer.messages == [[5]])
    guard case .endOfRequest = peer.events.last else {
      Issue.record("the end was expected: \(peer.events)")
      return
    }
  }

  @Test(
    "a content type that is not gRPC gets 415, a method that is not POST 405",
    arguments: [
      ("content-type", nil as String?, "415"), ("content-type", "text/plain", "415"),
      ("content-type", "application/grpc-web-text", "415"),
      ("content-type", "application/grpc-web-text+proto", "415"),
      ("content-type", "application/grpc-webs", "415"), (":method", "GET", "405"),
      (":method", "DELETE", "405"),
    ])
  func notGRPC(name: String, value: String?, answer: String) {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([(name, value)]), end: true))
    let block = peer.headerBlocks().first ?? [:]
    #expect(block[":status"] == answer)
    #expect(block["grpc-status"] == nil)
    #expect(peer.frames(of: 0).last?.isEnd == true)
    #expect((peer.frames(of: 0).first?.payload.count ?? 0) >= 5)
    #expect(peer.events.isEmpty)
  }

  @Test("a HEAD gets 405 without a body")
  func head() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([(":method", "HEAD")]), end: true))
    #expect(peer.headerBlocks().first?[":status"] == "405")
    #expect(peer.frames(of: 0).isEmpty)
    #expect(peer.frames(of: 1).last?.isEnd == true)
  }

  @Test(
    "content types that are gRPC",
    arguments: [
      "application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8",
      "Application/gRPC", "APPLICATION/GRPC+Proto",
    ])
  func contentTypes(type: String) {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([("content-type", type)])))
    #expect(peer.started.count == 1)
  }

  @Test("another codec than protobuf is unimplemented")
  func codec() {
    #expect(refusal([("content-type", "application/grpc+json")]) == "12")
  }

  @Test(
    "a malformed timeout fails the call",
    arguments: ["", "1", "S", "1s", "-1S", "123456789S", "1 S", "0x1S", "1.5S", "1SS"])
  func badTimeout(text: String) {
    #expect(refusal([("grpc-timeout", text)]) == "13")
  }

  @Test(
    "timeouts in every unit, saturating",
    arguments: [
      ("1H", 3_600_000_000_000 as UInt64), ("2M", 120_000_000_000), ("3S", 3_000_000_000),
      ("1500m", 1_500_000_000), ("4u", 4000), ("5n", 5), ("00000007n", 7),
      ("99999999M", 5_999_999_940_000_000_000), ("99999999H", .max),
    ])
  func timeouts(text: String, nanoseconds: UInt64) {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([("grpc-timeout", text)])))
    #expect(peer.head?.deadline == Instant.start.advanced(byNanoseconds: nanoseconds))
    #expect(refusal([("grpc-timeout", text)]) == nil)
  }

  @Test("what a client writes as a timeout is read back, never shorter", arguments: 0..<64)
  func timeoutRoundTrip(bit: Int) {
    let asked = (1 as UInt64) << UInt64(bit) | 1
    let text = Array(CallTimeout.encode(nanoseconds: asked).utf8)
    let read = text.withUnsafeBufferPointer(CallTimeout.decode)
    #expect(text.count <= 9)
    if asked / 3_600_000_000_000 <= 99_999_999 { #expect((read ?? 0) >= asked) }
  }

  @Test(
    "-bin values, padded or not, joined or not",
    arguments: [
      ("AQI=", [[1, 2]] as [[UInt8]]), ("AQI", [[1, 2]]), ("AQID", [[1, 2, 3]]), ("", [[]]),
      ("AQI,Aw==, BA", [[1, 2], [3], [4]]),
    ])
  func binary(text: String, values: [[UInt8]]) {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([("x-bin", text)])))
    #expect(peer.head?.metadata.allBinary("x-bin") == values)
  }

  @Test(
    "-bin values that are not base64 fail the call",
    arguments: ["A", "A?==", "AQI==", "AQJ", "===="])
  func badBinary(text: String) {
    #expect(refusal([("x-bin", text)]) == "13")
  }

  /// Each value costs its name and an entry: 16 KB on the wire took 62 MiB of memory.
  @Test(
    "a -bin field counts as often as it has values",
    arguments: [(50, nil), (64, "8"), (200, "8")] as [(Int, String?)])
  func manyValues(commas: Int, status: String?) {
    #expect(refusal([("x-bin", String(repeating: ",", count: commas))]) == status)
    let name = String(repeating: "n", count: 2_000) + "-bin"
    #expect(refusal([(name, ",,,,,,")]) == nil)
    #expect(refusal([(name, ",,,,,,,,")]) == "8")
  }

  @Test("a -bin field that comes to many times the limit ends its stream")
  func absurdlyManyValues() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([("x-bin", String(repeating: ",", count: 8_000))])))
    #expect(peer.head == nil && peer.server.openCalls == 0)
  }

  @Test("base64 comes back for every length")
  func base64() {
    for count in 0..<70 {
      let bytes = noise(count, seed: UInt64(count))
      let text = Base64.encode(bytes)
      #expect(!text.contains(0x3D))
      #expect(Base64.decode(text) == bytes)
    }
  }

  @Test("names of the protocol are not metadata, the number of attempts is")
  func reserved() {
    let peer = RawClient()
    peer.send(
      .headers(
        1,
        requestFields([
          ("grpc-previous-rpc-attempts", "2"), ("grpc-foo", "1"), ("x-a", "1"), ("x-a", "2"),
          ("grpc-message-type", "a.B"), ("user-agent", "u"),
        ])))
    #expect(
      peer.head?.metadata.names == ["grpc-previous-rpc-attempts", "x-a", "user-agent"])
    #expect(peer.head?.metadata.text("x-a") == "2")
  }

  @Test("too many headers, or too large ones, are answered; a header bomb is reset")
  func headerBombs() {
    let many = (0..<60).map { ("x-\($0)", Optional("1")) }
    #expect(refusal(many) == "8")
    #expect(refusal([("x-large", String(repeating: "a", count: 16_100))]) == "8")
    #expect(refusal([("x-large", String(repeating: "a", count: 15_000))]) == nil)

    // One large field enters HPACK's table and is then referenced 2,000 times, one byte each.
    let peer = RawClient()
    let table = hpackLiteral("x-bomb", String(repeating: "a", count: 3000))
    var block = Frame.headers(1, requestFields()).payload
    block += [0x40] + table.dropFirst() + [UInt8](repeating: 0x80 | 62, count: 2000)
    peer.send(Frame(type: 1, flags: Frame.endHeaders | Frame.endStream, stream: 1, payload: block))
    #expect(peer.started.isEmpty)
    #expect(peer.frames(of: 3).count == 1)
    peer.send(.headers(3, requestFields()))
    #expect(peer.started.count == 1)
  }

  @Test("a message flag other than 0 and 1, and a cut message, are internal errors")
  func badFraming() {
    #expect(answer(body: [2, 0, 0, 0, 0]) == "13")
    #expect(answer(body: [0, 0, 0, 0, 2, 1]) == "13")
    #expect(answer(body: [0, 0]) == "13")
  }

  @Test("a declared length over the limit is refused before its bytes arrive")
  func oversized() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields()))
    peer.send(.data(1, [0, 0xFF, 0xFF, 0xFF, 0xFF]))
    #expect(peer.headerBlocks().first?["grpc-status"] == "8")
    #expect(peer.cancellations == [.badRequest])
    peer.wait(.seconds(1))
    #expect(peer.frames(of: 3).map(\.errorCode) == [0])
  }

  @Test("what is held back keeps its order, even if it goes on while later messages wait")
  func heldOrder() {
    let peer = RawClient()
    var messages: [UInt8] = []
    peer.onEvent = { event, server in
      guard case .message(let call, let bytes) = event else { return }
      messages += bytes
      if bytes == [1] { server.hold(call) }
      if bytes == [9] { peer.take(server.goOn(CallID(1))) }
    }
    peer.send(.headers(1, requestFields()), .headers(3, requestFields()))
    peer.send(
      .data(1, lpm([1]) + lpm([2])), .data(3, lpm([9]), end: true), .data(1, lpm([3]), end: true))
    #expect(messages == [1, 9, 2, 3])
    #expect(peer.events.contains { if case .endOfRequest(CallID(1)) = $0 { true } else { false } })
  }

  @Test("a thousand messages in one frame are read as the owner takes them, and none is lost")
  func manyMessages() {
    let peer = RawClient()
    let many = (0..<1000).map { [UInt8($0 % 250)] }
    peer.send(.headers(1, requestFields()), .data(1, many.flatMap { lpm($0) }, end: true))
    #expect(peer.messages == many)
    #expect(peer.events.contains { if case .endOfRequest = $0 { true } else { false } })
    let granted = peer.frames(of: 8, stream: 0).map { Int(number($0.payload[...])) }.reduce(0, +)
    #expect(granted <= 6000, "each byte opens the window once")
  }

  @Test("of a call that is held or ended few messages are read")
  func fewAhead() {
    let peer = RawClient()
    let many = (0..<2000).flatMap { _ in lpm([7]) }
    peer.send(.headers(1, requestFields()), .headers(3, requestFields()))
    peer.onEvent = { event, server in
      if case .message(CallID(1), _) = event { server.hold(CallID(1)) }
      if case .message(CallID(3), _) = event { server.finish(CallID(3), Status(.internal)) }
    }
    peer.send(.data(1, many))
    #expect(peer.messages.count == 1)
    #expect(peer.server.holder.chargedBytes < 3 * many.count, "they wait as they came")
    peer.send(.data(3, many))
    #expect(peer.messages.count == 2)
    peer.onEvent = { _, _ in }
    peer.take(peer.server.goOn(CallID(1)))
    #expect(peer.messages.count == 2001)
  }

  @Test("a message of exactly the limit passes")
  func exactLimit() {
    var limits = Limits()
    limits.maxMessageBytes = 100
    let peer = RawClient(limits: limits)
    peer.send(.headers(1, requestFields()), .data(1, lpm(noise(100, seed: 1)), end: true))
    #expect(peer.messages.map(\.count) == [100])
    #expect(answer(body: lpm(noise(101, seed: 1)), limits: limits) == "8")
  }

  // MARK: Compression

  @Test("an unknown encoding is unimplemented, and the known ones are listed")
  func unknownEncoding() {
    let peer = RawClient()
    peer.send(.headers(1, requestFields([("grpc-encoding", "snappy")])))
    let block = peer.headerBlocks().first ?? [:]
    #expect(block["grpc-status"] == "12")
    #expect(block["grpc-accept-encoding"] == "identity, deflate, gzip")
    #expect(peer.events.isEmpty)
  }

  @Test("flag 1 without a declared encoding, and corrupt bytes, are internal errors")
  func badCompression() {
    #expect(answer(body: lpm([1, 2, 3], flag: 1)) == "13")
    #expect(answer([("grpc-encoding", "identity")], body: lpm([1], flag: 1)) == "13")
    for encoding in ["gzip", "deflate"] {
      let fields = [("grpc-encoding", encoding as String?)]
      #expect(answer(fields, body: lpm([1, 2, 3], flag: 1)) == "13")
      #expect(answer(fields, body: lpm([], flag: 1)) == "13")
      let whole = compressed(
        Array("the quick brown fox".utf8) + [UInt8](repeating: 0, count: 100), encoding)
      #expect(answer(fields, body: lpm(whole.dropLast(), flag: 1)) == "13")
      #expect(answer(fields, body: lpm(whole + [0], flag: 1)) == "13")
      #expect(answer(fields, body: lpm(whole, flag: 1)) == nil)
    }
    // An encoding cannot decode the other's messages.
    let gzip = compressed([UInt8](repeating: 1, count: 300), "gzip")
    #expect(answer([("grpc-encoding", "deflate")], body: lpm(gzip, flag: 1)) == "13")
  }

  @Test("flag 0 under a declared encoding is a plain message")
  func plainUnderEncoding() {
    let peer = RawClient()
    peer.send(
      .headers(1, requestFields([("grpc-encoding", "gzip")])), .data(1, lpm([4]), end: true))
    #expect(peer.messages == [[4]])
  }

  @Test("a bomb is refused by ratio and by size", arguments: ["gzip", "deflate"])
  func bombs(encoding: String) {
    let fields = [("grpc-encoding", encoding as String?)]
    let bomb = compressed([UInt8](repeating: 0, count: 200_000), encoding)
    #expect(bomb.count < 2000)
    #expect(answer(fields, body: lpm(bomb, flag: 1)) == "8")
    let large = compressed(
      (0..<4000).flatMap { noise(20, seed: $0) + [UInt8](repeating: 0, count: 80) }, encoding)
    #expect(large.count < 150_000)
    #expect(answer(fields, body: lpm(large, flag: 1)) == "8")
  }

  @Test("a call refused on its headers never has its body inflated")
  func refusedBeforeInflating() {
    let peer = RawClient()
    peer.onEvent = { event, server in
      if case .started(let call, _) = event {
        server.finish(call, Status(.unauthenticated))
      }
    }
    let body = compressed([UInt8](repeating: 1, count: 500), "gzip")
    peer.send(
      .headers(1, requestFields([("grpc-encoding", "gzip")])),
      .data(1, lpm(body, flag: 1) + lpm([1])), .data(1, lpm([1, 2, 3], flag: 1), end: true))
    #expect(peer.headerBlocks().first?["grpc-status"] == "16")
    #expect(peer.events.count == 1)
  }

  @Test(
    "responses are compressed only as the client accepts",
    arguments: [
      (nil as String?, nil as String?), ("identity", nil), ("gzip", "gzip"), ("deflate", "deflate"),
      ("identity,deflate , gzip", "gzip"), ("br,zstd", nil),
      (",,deflate,", "deflate"), (",", nil), ("gzi", nil), ("xgzip,\tdeflate", "deflate"),
    ])
  func acceptEncoding(accepted: String?, used: String?) {
    let peer = RawClient()
    let message = (0..<10).flatMap { noise(4, seed: $0) + [UInt8](repeating: 65, count: 96) }
    peer.onEvent = { event, server in
      if case .message(let call, _) = event { server.reply(message, to: call) }
    }
    peer.send(
      .headers(1, requestFields([("grpc-accept-encoding", accepted)])),
      .data(1, lpm([]), end: true))
    let block = peer.headerBlocks().first ?? [:]
    #expect(block["grpc-encoding"] == used)
    #expect(peer.frames(of: 0).first?.payload.first == (used == nil ? 0 : 1))
  }

  // MARK: Helpers

  private func compressed(_ bytes: [UInt8], _ name: String) -> [UInt8] {
    Compression(rawValue: name).flatMap { Deflater($0) }?.deflate(bytes) ?? []
  }

  /// The `grpc-status` with which a request is rejected on its headers, or nil.
  private func refusal(_ changes: [(String, String?)]) -> String? {
    let peer = RawClient()
    peer.send(.headers(1, requestFields(changes), end: true))
    return peer.started.isEmpty ? peer.headerBlocks().first?["grpc-status"] : nil
  }

  /// The `grpc-status` the server sends on its own after a complete body, or nil.
  private func answer(
    _ changes: [(String, String?)] = [], body: some Sequence<UInt8>, limits: Limits = .default
  ) -> String? {
    let peer = RawClient(limits: limits)
    peer.send(.headers(1, requestFields(changes)))
    let body = Array(body)
    for start in stride(from: 0, to: body.count, by: 16_000) {
      peer.send(.data(1, Array(body[start..<min(start + 16_000, body.count)])))
    }
    peer.send(.data(1, [], end: true))
    return peer.headerBlocks().first?["grpc-status"]
  }
}

extension RequestTests {
  private func lpm(_ message: some Sequence<UInt8>, flag: UInt8 = 0) -> [UInt8] {
    AtrestHTTP2Tests.lpm(Array(message), flag: flag)
  }
}
