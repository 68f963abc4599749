// SPDX-License-Identifier: Apache-2.0
// Fuzzes the client's end of a connection: arbitrary bytes from a server, with open calls.

import AtrestHTTP2

extension FuzzTarget {
  /// A byte of flags, four bytes of choices, then the server's bytes.
  static let client = FuzzTarget(name: "client", limitBytes: 4096) { bytes in
    var input = Input(bytes)
    let flags = input.byte()
    var choices = input.choices()
    var limits = Limits.default
    if flags & 4 != 0 {
      limits.maxMessageBytes = 300
      limits.streamWindowBytes = 1024
      limits.connectionWindowBytes = 65_535
      limits.streamQueueBytes = 600
    }
    let script = WireScript(input.remainder(), isFramed: flags & 2 != 0, choices: &choices)
    let client = FuzzedClient(
      limits: limits, compresses: flags & 32 != 0, choices: choices)
    if flags & 1 != 0 { try client.receive(Frames.settings + Frames.settingsAck) }
    for _ in 0...Int(flags >> 6) { client.start() }
    for step in script.steps {
      switch step {
      case .bytes(let bytes): try client.receive(bytes)
      case .action(let action): try client.act(action)
      }
    }
    try client.end()
  } seeds: {
    clientWires.flatMap { wireSeeds($0, $1, flags: [0x41, 0xC3, 0x67], actions: [0xE3, 0xE8]) }
  }

  private static var clientWires: [(String, [UInt8])] {
    func headers(_ more: [(String, String)] = [], end: Bool = false) -> [UInt8] {
      Frames.headers(1, Frames.response + more, end: end)
    }
    let body = Frames.data(1, Frames.message([1, 2, 3]))
    let trailers = Frames.headers(1, Frames.trailers, end: true)
    let gzip = Frames.data(1, Frames.message(Samples.gzip, isCompressed: true))
    let details = [
      ("grpc-status", "3"), ("grpc-status-details-bin", "AAECAw"), ("x-a-bin", "AQ=="),
    ]
    let html = [(":status", "502"), ("content-type", "text/html")]
    return [
      ("answer", headers() + body + trailers),
      ("status", headers([("grpc-status", "5"), ("grpc-message", "no%20way%zz")], end: true)),
      ("details", headers() + Frames.headers(1, details, end: true)),
      ("http-error", Frames.headers(1, html, end: true)),
      ("reset", headers() + Frames.frame(3, stream: 1, [0, 0, 0, 8])),
      ("goaway", headers() + Frames.frame(7, [0, 0, 0, 1, 0, 0, 0, 0]) + body + trailers),
      ("gzip", headers([("grpc-encoding", "gzip")]) + gzip + trailers),
      ("push", Frames.frame(5, flags: 4, stream: 1, [0, 0, 0, 2, 0x82]) + headers()),
      ("no-streams", Frames.frame(4, [0, 3, 0, 0, 0, 0]) + headers()),
      ("early-hints", Frames.headers(1, [(":status", "103")]) + headers() + body + trailers),
    ]
  }
}

/// A client connection and an owner that checks the contract of its interface.
private final class FuzzedClient {
  private let connection: ClientConnection
  private let limits: Limits
  private var choices: Choices
  /// Whether each call is over.
  private var calls: [CallID: Bool] = [:]
  private var now = Instant(nanoseconds: 1_000_000_000_000)

  init(limits: Limits, compresses: Bool, choices: Choices) {
    self.limits = limits
    self.choices = choices
    connection = ClientConnection(
      limits: limits, codecs: sharedCodecs(), authority: "localhost", isSecure: false,
      compression: compresses ? .gzip : nil, now: now)
  }

  func start() {
    let timeout: Duration? = choices.below(2) == 0 ? nil : .seconds(10)
    guard let id = connection.start(path: "/a.B/C", timeout: timeout, at: now) else { return }
    calls[id] = false
    _ = connection.send(
      [UInt8](repeating: 3, count: choices.below(900)), on: id, end: choices.below(4) > 0)
    if choices.below(8) == 0 { connection.pauseReading(id) }
  }

  func receive(_ bytes: [UInt8]) throws {
    guard connection.acceptsInput else { return }
    try take(bytes.withUnsafeBytes { connection.receive($0, at: now) })
    try flush()
  }

  func act(_ action: UInt8) throws {
    switch action % 12 {
    case 0...4:
      let waits: [UInt64] = [1, 5_100, 10_100, 20_100, 60_100]
      now = Instant(nanoseconds: now.nanoseconds + waits[Int(action % 12)] * 1_000_000)
      try letTimePass()
    case 5:
      if let next = connection.nextDeadline {
        now = max(now, next)
        try letTimePass()
      }
    case 6: connection.beginDrain(at: now)
    case 7: start()
    case 8: for id in open { try take(connection.resumeReading(id)) }
    case 9: for id in open { connection.pauseReading(id) }
    case 10: for id in open { connection.finishSending(id) }
    default:
      for id in open where choices.below(2) == 0 {
        connection.cancel(id)
        calls[id] = true
      }
    }
    try flush()
  }

  /// The server disconnects: every call must have ended.
  func end() throws {
    try take(connection.peerClosed(at: now))
    try take(connection.pendingEvents)
    try law(open.isEmpty, "a call outlives its connection")
    try law(connection.isFinished, "a connection without a peer is finished")
    try law(connection.openCalls == 0, "streams outlive their connection")
    try law(connection.nextDeadline == nil, "a finished connection waits for nothing")
    try law(!connection.canStartCall, "a finished connection starts nothing")
  }

  private func letTimePass() throws {
    try take(connection.deadlineReached(at: now))
    if let next = connection.nextDeadline {
      try law(next > now, "a deadline that has passed is not the next one")
    }
  }

  private func flush() throws {
    for _ in 0..<1000 {
      var output: [UInt8] = []
      connection.appendOutput(to: &output)
      try law(
        output.count <= limits.outputHighWaterBytes + 32 * 1024, "one turn's output is bounded")
      try take(connection.pendingEvents)
      if output.isEmpty { return }
    }
    throw BrokenLaw(description: "a connection never stops talking")
  }

  private var open: [CallID] {
    calls.filter { !$0.value }.keys.sorted { $0.streamID < $1.streamID }
  }

  private func take(_ events: ClientEvents) throws {
    for event in events {
      switch event {
      case .headers(let id, let metadata):
        try check(id)
        try law(metadata.count <= limits.maxHeaderCount, "metadata is bounded")
      case .message(let id, let bytes):
        try check(id)
        try law(bytes.count <= limits.maxMessageBytes, "a message is within its limit")
      case .finished(let id, let status):
        try check(id)
        calls[id] = true
        try law(status.message.utf8.count <= limits.maxHeaderListBytes * 3, "a status is bounded")
      case .writable(let id): try check(id)
      case .goAway: break
      }
    }
  }

  private func check(_ id: CallID) throws {
    guard let isOver = calls[id] else { throw BrokenLaw(description: "an event without a call") }
    try law(!isOver, "an event after the end of its call")
  }
}
