// SPDX-License-Identifier: Apache-2.0
// The endpoint's HTTP: one request, within bounds, whatever a peer sends.

import AtrestHTTP2
import AtrestSockets
import Testing

@testable import AtrestMetrics

@Suite("Probes over HTTP", .timeLimit(.minutes(20)))
struct ProbeHandlerTests {
  /// What a connection does, without a socket.
  private final class Peer: ByteStreamOwner {
    let peer = SocketAddress.ipv4(octets: [127, 0, 0, 1], port: 1)
    private(set) var isClosed = false
    let handler = ProbeHandler { path in
      path == "/metrics" ? ProbeAnswer("200 OK", "body of /metrics\n") : nil
    }
    let start = Instant(nanoseconds: 1)

    init() { handler.opened(by: self, at: start) }

    func needsFlush() {}
    func close() { isClosed = true }

    func send(_ text: String) {
      Array(text.utf8).withUnsafeBytes { handler.receive($0, at: start) }
    }

    func answer() -> String {
      var buffer: [UInt8] = []
      handler.appendOutput(to: &buffer)
      return String(decoding: buffer, as: UTF8.self)
    }
  }

  private func status(_ request: String) -> String {
    let peer = Peer()
    peer.send(request)
    return String(peer.answer().prefix { $0 != "\r\n" }.dropFirst("HTTP/1.1 ".count))
  }

  @Test("a request is answered with its length, and the connection ends")
  func get() {
    let peer = Peer()
    peer.send("GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:9464\r\n")
    #expect(peer.answer().isEmpty && !peer.handler.isFinished)
    peer.send("\r\n")
    let answer = peer.answer()
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("\r\nContent-Length: 17\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nbody of /metrics\n"))
    #expect(peer.handler.isFinished)
  }

  @Test("HEAD has no body, but its length")
  func head() {
    let peer = Peer()
    peer.send("HEAD /metrics HTTP/1.0\n\n")
    let answer = peer.answer()
    #expect(answer.contains("Content-Length: 17") && answer.hasSuffix("\r\n\r\n"))
  }

  @Test("what is not there, not allowed, or no HTTP has its status")
  func refused() {
    #expect(status("GET /secret HTTP/1.1\r\n\r\n") == "404 Not Found")
    #expect(status("POST /metrics HTTP/1.1\r\n\r\n") == "405 Method Not Allowed")
    #expect(status("GET metrics HTTP/1.1\r\n\r\n") == "400 Bad Request")
    #expect(status("PRI * HTTP/2.0\r\n\r\n") == "400 Bad Request")
    #expect(status("\r\n\r\n") == "400 Bad Request")
    #expect(status("\u{0}\u{1}\n\n") == "400 Bad Request")
  }

  @Test("a browser on this machine that was led here by a site's name reads nothing")
  func otherHost() {
    for host in ["localhost", "LOCALHOST:9464", "127.0.0.1:9464", "[::1]:9464", "[::1]"] {
      #expect(status("GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\r\n") == "200 OK", "\(host)")
    }
    for host in ["evil.example:9464", "192.0.2.1", "[2001:db8::1]:1", "localhost.evil.example", ""]
    {
      let found = status("GET /metrics HTTP/1.1\r\nhost:\(host)\r\n\r\n")
      #expect(found == "421 Misdirected Request", "\(host)")
    }
    let twice = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    #expect(status(twice) == "421 Misdirected Request")
    #expect(status("GET /metrics HTTP/1.0\r\n\r\n") == "200 OK")
  }

  @Test("a head that does not end is refused at its bound, and not kept beyond")
  func tooLong() {
    let peer = Peer()
    for _ in 0..<100 {
      peer.send("GET /metrics HTTP/1.1\r\nX: \(String(repeating: "x", count: 100))")
    }
    #expect(peer.answer().hasPrefix("HTTP/1.1 431 "))
  }

  @Test("a peer that says nothing is closed after five seconds")
  func silent() {
    let peer = Peer()
    #expect(peer.handler.nextDeadline == peer.start.advanced(by: .seconds(5)))
    peer.handler.deadlineReached(at: peer.start.advanced(by: .seconds(5)))
    #expect(peer.isClosed)
  }
}
