// SPDX-License-Identifier: Apache-2.0
// Specifies how files are served to browsers, and what that may cost.

import Synchronization
import Testing

@testable import AtrestHTTP2

@Suite("The files of a site, in raw frames", .timeLimit(.minutes(20)))
struct WebSiteTests {
  /// Shrinks to half.
  private static let script = noise(40_000, seed: 7).map { $0 & 15 }
  private static let zipped = Deflater(.gzip, level: 9)?.deflate(script) ?? []
  /// Stands for brotli, which a server passes on as it is.
  private static let brotli: [UInt8] = [1, 2, 3]
  private static let site = WebSite(
    [
      WebFile(
        path: "/", contentType: "text/html; charset=utf-8", bytes: Array("<p>Atrest</p>".utf8),
        tag: "11aa"),
      WebFile(
        path: "/app.1f.js", contentType: "text/javascript",
        forms: [.gzip: zipped, .brotli: brotli], limitBytes: 40_000, tag: "22bb", isImmutable: true),
    ].compactMap(\.self), fields: [("x-content-type-options", "nosniff")])

  private func request(
    _ path: String, method: String = "GET", _ more: [(String, String)] = []
  ) -> [(String, String)] {
    [(":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost")] + more
  }

  /// The header fields and the body of one answer.
  private func get(
    _ path: String, method: String = "GET", _ more: [(String, String)] = []
  ) -> (fields: [String: String], body: [UInt8]) {
    let peer = RawClient(site: Self.site)
    peer.send(.headers(1, request(path, method: method, more), end: true))
    peer.send(.window(1, 100_000))
    #expect(peer.events.isEmpty && peer.server.openCalls == 0)
    #expect(peer.frames.last { $0.stream == 1 }?.isEnd == true)
    return (peer.headerBlocks().first ?? [:], peer.frames(of: 0).flatMap(\.payload))
  }

  @Test("a file comes with its type, its length, its tag and the site's fields")
  func file() {
    let (fields, body) = get("/")
    #expect(body == Array("<p>Atrest</p>".utf8))
    #expect(
      fields == [
        ":status": "200", "content-type": "text/html; charset=utf-8", "content-length": "13",
        "etag": "W/\"11aa\"", "vary": "accept-encoding", "cache-control": "no-cache",
        "x-content-type-options": "nosniff",
      ])
  }

  @Test("an immutable file is never asked for again, and a query changes nothing")
  func immutable() {
    let (fields, body) = get("/app.1f.js?x=1")
    #expect(body == Self.script)
    #expect(fields["cache-control"] == "public, max-age=31536000, immutable")
  }

  @Test(
    "the coding that a browser weighs most is sent, of equal ones brotli, then gzip",
    arguments: [
      ("gzip, deflate, br, zstd", "br"), ("br", "br"), ("*", "br"), ("BR", "br"),
      ("br;q=0.5, gzip;q=0.8", "gzip"), ("br;q=0.800, gzip;q=0.8", "br"), ("gzip;q=0.001", "gzip"),
      ("br;q=0, gzip", "gzip"), ("br; q=0.000, *", "gzip"), ("gzip", "gzip"),
      ("*;q=0, gzip", "gzip"),
      ("br;q=0.2, identity", nil), ("br;q=0, gzip;q=0", nil), ("br;q=x, gzip;q=-1", nil),
      ("deflate, zstd", nil), ("", nil), ("*;q=0", nil),
    ])
  func compressed(accepted: String, coding: String?) {
    let (fields, body) = get("/app.1f.js", [("accept-encoding", accepted)])
    #expect(fields["content-encoding"] == coding)
    #expect(fields["content-length"] == String(body.count))
    #expect(body == (coding == "br" ? Self.brotli : coding == "gzip" ? Self.zipped : Self.script))
    // Weak: one tag for all of them.
    #expect(fields["etag"] == "W/\"22bb\"" && fields["vary"] == "accept-encoding")
  }

  @Test("what has no such form is sent as it is")
  func uncompressed() {
    let (fields, body) = get("/", [("accept-encoding", "br, gzip")])
    #expect(fields["content-encoding"] == nil && body == Array("<p>Atrest</p>".utf8))
  }

  @Test("contents are read from the gzip, up to their limit")
  func contents() {
    func file(_ forms: [WebFile.Coding: [UInt8]], limitBytes: Int = 40_000) -> WebFile? {
      WebFile(path: "/", contentType: "a", forms: forms, limitBytes: limitBytes, tag: "a")
    }
    #expect(file([.gzip: Self.zipped])?.bytes == Self.script)
    #expect(file([.identity: [7], .gzip: Self.zipped])?.bytes == [7])
    #expect(file([.gzip: Self.zipped], limitBytes: 39_999) == nil)
    #expect(file([.identity: Self.script], limitBytes: 39_999) == nil)
    #expect(file([.brotli: Self.brotli]) == nil && file([.gzip: [1, 2, 3]]) == nil)
    // Whose end claims fewer bytes than there are.
    #expect(file([.gzip: Self.zipped.dropLast(4) + [1, 0, 0, 0]]) == nil)
  }

  @Test(
    "a browser that has a file is told so",
    arguments: [
      ("W/\"11aa\"", true), ("\"11aa\"", true), ("\"00\", W/\"11aa\"", true), ("*", true),
      ("\"22bb\"", false), ("11aa", false),
    ])
  func unchanged(tags: String, isKnown: Bool) {
    let (fields, body) = get("/", [("if-none-match", tags)])
    #expect(fields[":status"] == (isKnown ? "304" : "200"))
    #expect(body.isEmpty == isKnown)
    #expect(fields["etag"] == "W/\"11aa\"")
  }

  @Test("HEAD gets the fields without the body")
  func head() {
    let (fields, body) = get("/app.1f.js", method: "HEAD")
    #expect(fields[":status"] == "200" && fields["content-length"] == "40000")
    #expect(body.isEmpty)
  }

  @Test(
    "what was not listed does not exist",
    arguments: ["/index.html", "//", "/..", "/%2e%2e/etc/passwd", "/app.1f.js/", "/App.1f.js"])
  func unknown(path: String) {
    let (fields, body) = get(path)
    #expect(fields[":status"] == "404")
    #expect(fields["x-content-type-options"] == "nosniff")
    #expect(fields["etag"] == nil)
    #expect(String(decoding: body, as: UTF8.self).hasPrefix("There is nothing at this address."))
  }

  @Test("another method gets 405", arguments: ["DELETE", "OPTIONS", "PUT", "CONNECT!"])
  func methods(method: String) {
    let (fields, _) = get("/", method: method)
    #expect(fields[":status"] == "405" && fields["allow"] == "GET, HEAD, POST")
    #expect(fields.keys.allSatisfy { !$0.hasPrefix("access-control") })
  }

  @Test("too many fields get 431")
  func tooLarge() {
    let (fields, _) = get("/", [("x-large", String(repeating: "a", count: 16_230))])
    #expect(fields[":status"] == "431")
  }

  @Test("calls go on beside files, and without a site there are none")
  func calls() {
    let peer = RawClient(site: Self.site)
    peer.send(.headers(1, request("/"), end: true))
    peer.send(.headers(3, requestFields()))
    #expect(peer.started == [peer.call(3)])
    let bare = RawClient()
    bare.send(.headers(1, request("/"), end: true))
    #expect(bare.headerBlocks().first?[":status"] == "405")
  }

  @Test("each answer that is not a call's is told, for whoever counts them")
  func told() {
    let statuses = Mutex<[String]>([])
    var site = Self.site
    site.onAnswer = { status in statuses.withLock { $0.append(status) } }
    let peer = RawClient(site: site)
    peer.send(.headers(1, request("/"), end: true), .headers(3, request("/x"), end: true))
    peer.send(.headers(5, requestFields([("content-type", "text/plain")]), end: true))
    peer.send(.headers(7, requestFields(), end: true))
    #expect(statuses.withLock { $0 } == ["200", "404", "415"])
  }

  // MARK: Costs

  @Test("a hundred files that nobody reads cost their streams alone")
  func memory() {
    // A few bytes of each are read: what is left is counted then.
    let peer = RawClient(site: Self.site, settings: [(4, 10)])
    for stream in (0..<100).map({ UInt32(1 + 2 * $0) }) {
      peer.send(.headers(stream, request("/app.1f.js"), end: true))
    }
    #expect(peer.server.openCalls == 100)
    #expect(peer.server.unsentBytes == 0)
    #expect(peer.server.holder.chargedBytes == 0)
    #expect(peer.server.overhead.chargedBytes >= 100 * ServerStream.ownBytes)
  }

  @Test("a file that makes no progress is reset; one that is read byte by byte, after its time")
  func slowReaders() {
    let stalled = RawClient(site: Self.site, settings: [(4, 10)])
    stalled.send(.headers(1, request("/app.1f.js"), end: true))
    // Ten bytes are progress, until the first check.
    stalled.wait(.seconds(60))
    stalled.answerPings()
    #expect(stalled.frames(of: 3).isEmpty)
    stalled.wait(.seconds(60))
    #expect(stalled.frames(of: 3).map(\.errorCode) == [8])
    #expect(stalled.server.openCalls == 0)

    let slow = RawClient(site: Self.site, settings: [(4, 10)])
    slow.send(.headers(1, request("/app.1f.js"), end: true))
    for _ in 0..<9 {
      slow.wait(.seconds(30))
      slow.send(.window(1, 1))
      slow.answerPings()
    }
    #expect(slow.server.openCalls == 1)
    slow.wait(.seconds(30))
    #expect(slow.frames(of: 3).map(\.errorCode) == [8])
    #expect(slow.server.openCalls == 0)
  }

  @Test("a body with a GET is read and dropped")
  func bodyOfGet() {
    let peer = RawClient(site: Self.site)
    peer.send(.headers(1, request("/")))
    for _ in 0..<100 { peer.send(.data(1, [UInt8](repeating: 7, count: 4_000))) }
    #expect(peer.server.holder.chargedBytes == 0)
    peer.send(.data(1, [], end: true))
    #expect(peer.server.openCalls == 0 && peer.frames(of: 3).isEmpty)
  }
}
