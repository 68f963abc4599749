// SPDX-License-Identifier: Apache-2.0
// Specifies gRPC-Web, frame by frame: status in the body, and only for pages of the server's own.

import Testing

@testable import AtrestHTTP2

@Suite("A call from a browser, in raw frames", .timeLimit(.minutes(20)))
struct WebCallTests {
  private static let web = "application/grpc-web+proto"

  private func request(_ changes: [(String, String?)] = []) -> [(String, String)] {
    requestFields([("content-type", Self.web), ("te", nil)] + changes)
  }

  private func body(_ peer: RawClient) -> [UInt8] { peer.frames(of: 0).flatMap(\.payload) }

  private func trailers(_ lines: String) -> [UInt8] { lpm(Array(lines.utf8), flag: 0x80) }

  @Test(
    "a reply is headers, message and status, the status in the body",
    arguments: ["application/grpc-web", web])
  func reply(type: String) {
    let peer = RawClient()
    peer.onEvent = { event, server in
      if case .message(let call, let bytes) = event { server.reply(bytes, to: call) }
    }
    peer.send(.headers(1, request([("content-type", type)])), .data(1, lpm([7]), end: true))
    #expect(peer.headerBlocks() == [[":status": "200", "content-type": type]])
    #expect(body(peer) == lpm([7]) + trailers("grpc-status: 0\r\n"))
    #expect(peer.frames.last?.type == 0 && peer.frames.last?.isEnd == true)
    #expect(peer.head?.format == (type == Self.web ? .webProto : .web))
    #expect(peer.server.openCalls == 0)
  }

  @Test("a stream ends with its status after the last message")
  func stream() {
    let peer = RawClient()
    peer.send(.headers(1, request()), .data(1, lpm([]), end: true))
    _ = peer.server.send([1], on: peer.call())
    peer.flush()
    #expect(body(peer) == lpm([1]))
    _ = peer.server.send([2], on: peer.call())
    peer.server.finish(peer.call(), Status(.aborted, "née", details: [1, 2]))
    peer.flush()
    let lines = "grpc-status: 10\r\ngrpc-message: n%C3%A9e\r\ngrpc-status-details-bin: AQI\r\n"
    #expect(body(peer) == lpm([1]) + lpm([2]) + trailers(lines))
    #expect(peer.frames(of: 1).count == 1)
    #expect(peer.frames.last?.isEnd == true)
  }

  @Test("a status that no message precedes is in the headers")
  func statusAlone() {
    let peer = RawClient()
    peer.send(.headers(1, request(), end: true))
    peer.server.finish(peer.call(), Status(.notFound, "gone"))
    peer.flush()
    #expect(
      peer.headerBlocks() == [
        [
          ":status": "200", "content-type": Self.web, "grpc-status": "5", "grpc-message": "gone",
        ]
      ])
    #expect(peer.frames.last?.isEnd == true)
  }

  @Test("a deadline in the middle of a stream is told in the body")
  func deadline() {
    let peer = RawClient()
    peer.send(.headers(1, request([("grpc-timeout", "5S")])), .data(1, lpm([]), end: true))
    _ = peer.server.send([1], on: peer.call())
    peer.flush()
    peer.wait(.seconds(5))
    #expect(peer.cancellations == [.deadlineExceeded])
    let lines = "grpc-status: 4\r\ngrpc-message: The deadline has passed.\r\n"
    #expect(body(peer) == lpm([1]) + trailers(lines))
  }

  @Test("messages are compressed if the page asks for it, the status never")
  func compression() {
    let peer = RawClient()
    peer.send(
      .headers(1, request([("grpc-accept-encoding", "gzip")])), .data(1, lpm([]), end: true))
    peer.server.reply([UInt8](repeating: 65, count: 1_000), to: peer.call())
    peer.flush()
    let end = trailers("grpc-status: 0\r\n")
    #expect(body(peer).first == 1)
    #expect(Array(body(peer).suffix(end.count)) == end)
    #expect(peer.headerBlocks().first?["grpc-encoding"] == "gzip")
  }

  @Test("what a page waits for and does not read counts, the status too")
  func memory() {
    let peer = RawClient(settings: [(4, 0)])
    peer.send(.headers(1, request()), .data(1, lpm([]), end: true))
    _ = peer.server.send([1], on: peer.call())
    let before = peer.server.unsentBytes
    peer.server.finish(peer.call(), Status(.aborted))
    #expect(peer.server.unsentBytes >= before + "grpc-status: 10\r\n".utf8.count)
    peer.send(.window(1, 1_000))
    #expect(peer.server.unsentBytes == 0 && peer.server.openCalls == 0)
  }

  // MARK: Refusals

  @Test(
    "another site's page gets 403, whichever header tells of it",
    arguments: [
      [("sec-fetch-site", "cross-site")], [("sec-fetch-site", "same-site")],
      [("sec-fetch-site", "none")], [("sec-fetch-site", "same-origin, cross-site")],
      [("origin", "https://other.example")], [("origin", "null")], [("origin", "localhost")],
      [("origin", "https://localhost.other.example")], [("origin", "https://localhost:1")],
      [("sec-fetch-site", "cross-site"), ("origin", "https://localhost")],
    ] as [[(String, String)]])
  func crossOrigin(fields: [(String, String)]) {
    let peer = RawClient()
    peer.send(.headers(1, request(fields.map { ($0.0, $0.1) }), end: true))
    let block = peer.headerBlocks().first ?? [:]
    #expect(block[":status"] == "403")
    #expect(block["grpc-status"] == nil)
    #expect(block.keys.allSatisfy { !$0.hasPrefix("access-control") })
    #expect(peer.events.isEmpty)
  }

  @Test(
    "the server's own page, and a program without an origin, may call",
    arguments: [
      [], [("sec-fetch-site", "same-origin")], [("origin", "https://localhost")],
      [("origin", "http://LOCALHOST")],
      // Behind a proxy that names the server otherwise, the browser's word counts.
      [("sec-fetch-site", "same-origin"), ("origin", "https://sync.example.org")],
    ] as [[(String, String)]])
  func ownOrigin(fields: [(String, String)]) {
    let peer = RawClient()
    peer.send(.headers(1, request(fields.map { ($0.0, $0.1) })))
    #expect(peer.started.count == 1)
  }

  @Test("a question before a call of another origin is refused, without a word about origins")
  func preflight() {
    let peer = RawClient()
    peer.send(
      .headers(
        1,
        [
          (":method", "OPTIONS"), (":scheme", "https"), (":path", "/test.Echo/Say"),
          (":authority", "localhost"), ("origin", "https://other.example"),
          ("access-control-request-method", "POST"),
        ], end: true))
    let block = peer.headerBlocks().first ?? [:]
    #expect(block[":status"] == "405")
    #expect(block.keys.allSatisfy { !$0.hasPrefix("access-control") })
  }

  @Test(
    "a refusal of a call has the call's form",
    arguments: [
      ("grpc-timeout", "1s", "13"), ("grpc-encoding", "br", "12"),
      ("content-type", "application/grpc-web+json", "12"), ("x-bin", "?", "13"),
      ("x-large", String(repeating: "a", count: 16_100), "8"),
    ])
  func refused(name: String, value: String, status: String) {
    let peer = RawClient()
    peer.send(.headers(1, request([(name, value)]), end: true))
    let block = peer.headerBlocks().first ?? [:]
    #expect(block["grpc-status"] == status)
    #expect(block["content-type"] == Self.web)
  }
}
