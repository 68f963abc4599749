// SPDX-License-Identifier: Apache-2.0
// Answers one HTTP/1.1 request of a scraper or a probe, and closes.

import AtrestHTTP2
import AtrestSockets

/// An HTTP answer with a text.
package struct ProbeAnswer: Sendable, Equatable {
  /// `200 OK`.
  package let status: String
  package let contentType: String
  package let body: String

  package init(_ status: String, _ body: String, contentType: String = "text/plain; charset=utf-8")
  {
    self.status = status
    self.body = body
    self.contentType = contentType
  }

  static let notFound = ProbeAnswer(
    "404 Not Found", "There is /metrics, /healthz and /readyz.\n")
  static let badRequest = ProbeAnswer("400 Bad Request", "This is no HTTP request.\n")
  static let notAllowed = ProbeAnswer("405 Method Not Allowed", "Only GET and HEAD are answered.\n")
  static let misdirected = ProbeAnswer(
    "421 Misdirected Request", "From this machine, ask for localhost, 127.0.0.1 or [::1].\n")
  static let tooLong = ProbeAnswer("431 Request Header Fields Too Large", "Too long a request.\n")

  /// The answer's bytes.
  func bytes(withBody: Bool) -> [UInt8] {
    let body = Array(body.utf8)
    let head = """
      HTTP/1.1 \(status)\r
      Content-Type: \(contentType)\r
      Content-Length: \(body.count)\r
      Cache-Control: no-store\r
      Connection: close\r
      \r\n
      """
    return Array(head.utf8) + (withBody ? body : [])
  }
}

/// One connection: reads the head of a request within five seconds and 8 KiB, answers it, and
/// closes. Bodies are not read.
final class ProbeHandler: ByteStreamHandler {
  /// Maximum size of a request's head in bytes.
  static let headBytes = 8 * 1024
  /// How long the whole connection may take.
  static let patience: Duration = .seconds(5)

  private let answer: (_ path: String) -> ProbeAnswer?
  private var head: [UInt8] = []
  private var output: [UInt8]?
  private var hasSent = false
  private var owner: (any ByteStreamOwner)?
  private var deadline: Instant?

  /// - Parameter answer: Answers a path; nil: there is nothing.
  init(_ answer: @escaping (_ path: String) -> ProbeAnswer?) { self.answer = answer }

  func opened(by owner: any ByteStreamOwner, at now: Instant) {
    self.owner = owner
    deadline = now.advanced(by: Self.patience)
  }

  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    guard output == nil else { return }
    head.append(contentsOf: bytes.prefix(Self.headBytes + 1 - head.count))
    if let end = Self.endOfHead(head) {
      respond(to: head[..<end])
    } else if head.count > Self.headBytes {
      finish(.tooLong)
    }
  }

  func endOfInput(at now: Instant) {
    if output == nil { finish(.badRequest) }
  }

  func appendOutput(to buffer: inout [UInt8]) {
    guard let output, !hasSent else { return }
    buffer += output
    hasSent = true
  }

  var isFinished: Bool { hasSent }
  var nextDeadline: Instant? { deadline }

  func deadlineReached(at now: Instant) { owner?.close() }

  func closed(_ reason: CloseReason, at now: Instant) {
    owner = nil
    deadline = nil
  }

  private func respond(to head: ArraySlice<UInt8>) {
    let line = String(decoding: head.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
      return finish(.badRequest)
    }
    guard words[0] == "GET" || words[0] == "HEAD" else { return finish(.notAllowed) }
    guard owner?.peer.isLoopback != true || Self.namesThisMachine(head) else {
      return finish(.misdirected)
    }
    let path = String(words[1].prefix { $0 != "?" })
    finish(answer(path) ?? .notFound, withBody: words[0] == "GET")
  }

  /// Whether a request is addressed to this machine by a name that only it has. A browser here that
  /// was led to this port by the name of a site says that name: its page must not read the answer.
  private static func namesThisMachine(_ head: ArraySlice<UInt8>) -> Bool {
    let lines = String(decoding: head, as: UTF8.self).split { $0.isNewline }
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "host" else {
        continue
      }
      guard isThisMachine(line[line.index(after: colon)...]) else { return false }
    }
    return true
  }

  /// Whether it is `localhost` or a loopback address, with or without a port.
  private static func isThisMachine(_ written: Substring) -> Bool {
    var host = written.drop { $0 == " " || $0 == "\t" }.lowercased()[...]
    while host.last == " " || host.last == "\t" { host.removeLast() }
    if let end = host.lastIndex(of: ":"), !host[end...].contains("]") { host = host[..<end] }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return host == "localhost" || SocketAddress(host: String(host))?.isLoopback == true
  }

  private func finish(_ answer: ProbeAnswer, withBody: Bool = true) {
    output = answer.bytes(withBody: withBody)
    head = []
    owner?.needsFlush()
  }

  /// The index behind the blank line that ends a head.
  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    var newlines = 0
    for (index, byte) in bytes.enumerated() {
      if byte == 10 { newlines += 1 } else if byte != 13 { newlines = 0 }
      if newlines == 2 { return index + 1 }
    }
    return nil
  }
}
