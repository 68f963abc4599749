// SPDX-License-Identifier: Apache-2.0
// Fuzzes the server's end of a connection: arbitrary bytes, splits and times, with an owner that
// responds.

import AtrestHTTP2

extension FuzzTarget {
  /// A byte of flags, four bytes of choices, then the client's bytes.
  static let http2 = FuzzTarget(name: "http2", limitBytes: 4096) { bytes in
    var input = Input(bytes)
    let flags = input.byte()
    var choices = input.choices()
    var limits = Limits.default
    if flags & 4 != 0 {
      // Limits that short inputs can reach.
      limits.maxConcurrentStreams = 3
      limits.maxMessageBytes = 300
      limits.streamWindowBytes = 1024
      limits.connectionWindowBytes = 65_535
      limits.streamQueueBytes = 600
      limits.maxPeerResets = 3
      limits.maxOwnResets = 3
      limits.maxQueuedFrames = 20
      limits.outputHighWaterBytes = 2048
    }
    let script = WireScript(input.remainder(), isFramed: flags & 2 != 0, choices: &choices)
    let server = FuzzedServer(
      limits: limits, site: flags & 16 == 0 ? nil : site, choices: choices)
    server.isReadingOutput = flags & 8 == 0
    if flags & 1 != 0 {
      try server.receive(Frames.preface + Frames.settings + Frames.settingsAck)
    }
    for step in script.steps {
      switch step {
      case .bytes(let bytes): try server.receive(bytes)
      case .action(let action): try server.act(action)
      }
    }
    try server.end()
  } seeds: {
    serverWires.flatMap { wireSeeds($0, $1, flags: [1, 3, 7, 19], actions: [0xE3, 0xE5]) }
  }

  private static let site = WebSite(
    [
      WebFile(path: "/", contentType: "text/html", bytes: Array("<p>".utf8), tag: "a"),
      WebFile(
        path: "/app.js", contentType: "text/javascript", bytes: [UInt8](repeating: 9, count: 9_000),
        tag: "b", isImmutable: true),
    ], fields: [("x-content-type-options", "nosniff")])

  private static var serverWires: [(String, [UInt8])] {
    let call = Frames.headers(1, Frames.request("/a.B/C"))
    let other = Frames.headers(3, Frames.request("/a.B/D"), end: true)
    let zipped = Frames.headers(1, Frames.request("/a.B/C", encoding: "gzip"))
    let body = Frames.data(1, Frames.message([1, 2, 3]), end: true)
    let gzip = Frames.data(1, Frames.message(Samples.gzip, isCompressed: true), end: true)
    let block = Frames.frame(1, flags: 1, stream: 1, [0x83])
    return [
      ("call", call + body),
      ("two", call + other + body),
      ("reset", call + Frames.frame(3, stream: 1, [0, 0, 0, 8])),
      ("ping", Frames.frame(6, [1, 2, 3, 4, 5, 6, 7, 8]) + call),
      ("window", call + Frames.frame(8, stream: 1, [0, 0, 16, 0]) + body),
      ("settings", Frames.frame(4, [0, 4, 0, 0, 0, 9]) + call + body),
      ("continuation", block + Frames.frame(9, flags: 4, stream: 1, [0x86])),
      ("goaway", call + Frames.frame(7, [0, 0, 0, 1, 0, 0, 0, 0]) + body),
      ("gzip", zipped + gzip),
      ("trailers", call + Frames.headers(1, [("x-a", "b")], end: true)),
      ("web", Frames.headers(1, Frames.webRequest("/a.B/C", from: "same-origin")) + body),
      ("foreign", Frames.headers(1, Frames.webRequest("/a.B/C", from: "cross-site")) + body),
      ("file", Frames.headers(1, Frames.fileRequest("/app.js?a"), end: true) + other),
    ]
  }
}

/// A server connection and an owner that checks the contract of its interface.
private final class FuzzedServer {
  private enum Call {
    case waiting
    case streaming(left: Int)
    case discarding, finished
  }

  private let connection: ServerConnection
  private let limits: Limits
  private var choices: Choices
  private var calls: [CallID: Call] = [:]
  private var now = Instant(nanoseconds: 1_000_000_000_000)
  var isReadingOutput = true

  init(limits: Limits, site: WebSite?, choices: Choices) {
    self.limits = limits
    self.choices = choices
    connection = ServerConnection(limits: limits, codecs: sharedCodecs(), site: site, now: now)
  }

  func receive(_ bytes: [UInt8]) throws {
    guard connection.acceptsInput else { return }
    let events = bytes.withUnsafeBytes { connection.receive($0, at: now) }
    try take(events)
    try flush()
  }

  func act(_ action: UInt8) throws {
    switch action % 12 {
    case 0...6:
      let waits: [UInt64] = [1, 900, 5_100, 10_100, 20_100, 60_100, 900_100]
      now = Instant(nanoseconds: now.nanoseconds + waits[Int(action % 12)] * 1_000_000)
      try letTimePass()
    case 7: try jumpToDeadline()
    case 8: connection.beginDrain(at: now)
    case 9: isReadingOutput.toggle()
    case 10: for id in open { try take(connection.goOn(id)) }
    default: for id in open where choices.below(2) == 0 { finish(id) }
    }
    try flush()
  }

  /// The peer disconnects: nothing may remain.
  func end() throws {
    try take(connection.peerClosed(at: now))
    try take(connection.pendingEvents)
    try law(open.isEmpty, "a call outlives its connection")
    try law(connection.openCalls == 0, "streams outlive their connection")
    try law(connection.isFinished, "a connection without a peer is finished")
    try law(connection.nextDeadline == nil, "a finished connection waits for nothing")
    var output: [UInt8] = []
    connection.appendOutput(to: &output)
    try law(output.isEmpty, "a finished connection has nothing to say")
  }

  private func letTimePass() throws {
    try take(connection.deadlineReached(at: now))
    if let next = connection.nextDeadline {
      try law(next > now, "a deadline that has passed is not the next one")
    }
  }

  private func jumpToDeadline() throws {
    guard let next = connection.nextDeadline else { return }
    now = max(now, next)
    try letTimePass()
  }

  private func flush() throws {
    guard isReadingOutput else { return }
    for _ in 0..<1000 {
      var output: [UInt8] = []
      connection.appendOutput(to: &output)
      try law(
        output.count <= limits.outputHighWaterBytes + 32 * 1024, "one turn's output is bounded")
      let before = connection.openCalls
      try take(connection.pendingEvents)
      if output.isEmpty, before == connection.openCalls { return }
    }
    throw BrokenLaw(description: "a connection never stops talking")
  }

  private var open: [CallID] {
    calls.filter { if case .finished = $0.value { false } else { true } }.keys
      .sorted { $0.streamID < $1.streamID }
  }

  // MARK: Events

  private func take(_ events: ServerEvents) throws {
    for event in events {
      switch event {
      case .started(let id, let head): try start(id, head)
      case .message(let id, let bytes):
        try law(bytes.count <= limits.maxMessageBytes, "a message is within its limit")
        guard case .waiting = try call(id) else { continue }
        answer(id, bytes)
      case .endOfRequest(let id):
        guard case .waiting = try call(id) else { continue }
        if choices.below(4) > 0 { reply(id, [4, 5]) }
      case .cancelled(let id, _):
        _ = try call(id)
        calls[id] = .finished
      case .writable(let id):
        _ = try call(id)
        stream(id)
      }
      try law(
        connection.openCalls <= limits.maxConcurrentStreams + 1, "streams of a peer are bounded")
    }
  }

  private func call(_ id: CallID) throws -> Call {
    guard let call = calls[id] else { throw BrokenLaw(description: "an event before its call") }
    if case .finished = call { throw BrokenLaw(description: "an event after the end of its call") }
    return call
  }

  private func start(_ id: CallID, _ head: RequestHead) throws {
    try law(calls[id] == nil, "a call starts once")
    try law(
      !head.format.isWeb
        || head.metadata.allText("sec-fetch-site").allSatisfy { $0 == "same-origin" },
      "no page of another origin begins a call")
    try law(head.path.utf8.count <= limits.maxHeaderListBytes, "a head is within its limit")
    calls[id] = .waiting
    switch choices.below(8) {
    case 0: finish(id)
    case 1: connection.hold(id)
    case 2:
      connection.stopReading(id)
      calls[id] = .discarding
    case 3: connection.expectEnd(id)
    default: break
    }
  }

  private func answer(_ id: CallID, _ bytes: [UInt8]) {
    switch choices.below(6) {
    case 0: reply(id, bytes)
    case 1:
      calls[id] = .streaming(left: 1 + choices.below(8))
      stream(id)
    case 2: finish(id)
    case 3: connection.expectEnd(id)
    default: break
    }
  }

  private func reply(_ id: CallID, _ bytes: [UInt8]) {
    calls[id] = .finished
    connection.reply(bytes, to: id)
  }

  private func stream(_ id: CallID) {
    guard case .streaming(var left) = calls[id] else { return }
    while left > 0 {
      let message = [UInt8](repeating: 7, count: choices.below(700))
      switch connection.send(message, on: id) {
      case .queued: left -= 1
      case .queueFull:
        calls[id] = .streaming(left: left)
        return
      case .gone:
        calls[id] = .streaming(left: 0)
        return
      }
    }
    finish(id)
  }

  private func finish(_ id: CallID) {
    calls[id] = .finished
    connection.finish(id, Status(.notFound, "Ünlikely %"))
  }
}
