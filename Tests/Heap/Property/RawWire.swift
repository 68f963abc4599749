// SPDX-License-Identifier: Apache-2.0
// Peers that send any mixture of valid and some invalid frames.

import AtrestFuzzing

/// One end of a connection that consists of frames. It follows the protocol wherever a violation
/// would only end the connection.
struct RawWire {
  /// Streams on which more frames may be sent.
  private(set) var open: [UInt32] = []
  /// A partially received frame.
  private var heard: [UInt8] = []
  /// The number of bytes before the first frame.
  private var prefaceBytes: Int

  /// - Parameter hearsClient: Whether the other end is a client, which sends a preface.
  init(hearsClient: Bool) {
    prefaceBytes = hearsClient ? Frames.preface.count : 0
  }
  private var nextStream: UInt32 = 1
  /// The stream of an unfinished header block. No other frame may be sent.
  private var unfinishedBlock: UInt32?

  mutating func forget(_ stream: UInt32) { open.removeAll { $0 == stream } }

  /// Notes a stream that the other end opened.
  mutating func begun(_ stream: UInt32) { open.append(stream) }

  /// The number of a new stream.
  mutating func begin() -> UInt32 {
    defer { nextStream += 2 }
    open.append(nextStream)
    return nextStream
  }

  /// Learns from received frames which streams are over.
  mutating func hear(_ bytes: [UInt8]) {
    heard += bytes.dropFirst(prefaceBytes)
    prefaceBytes = max(0, prefaceBytes - bytes.count)
    var rest = heard[...]
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      guard rest.count >= 9 + length else { break }
      rest = rest.dropFirst(9 + length)
      let isEnd = head[3] <= 1 && head[4] & Frames.endStream != 0
      let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if isEnd || head[3] == 3 { forget(stream) }
    }
    heard = Array(rest)
  }

  /// HEADERS of a new stream, or of an open one.
  mutating func headers(
    _ fields: [(String, String)], on stream: UInt32? = nil, _ random: inout Choices
  ) -> [UInt8] {
    guard unfinishedBlock == nil else { return continuation(&random) }
    let id = stream ?? begin()
    let end = random.oneIn(3) ? Frames.endStream : 0
    if end != 0 { forget(id) }
    let block = Frames.block(fields, isIndexed: random.oneIn(3))
    let pieces = stride(from: 0, to: block.count, by: 16_000).map {
      Array(block[$0..<min($0 + 16_000, block.count)])
    }
    var bytes: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      let isLast = index == pieces.count - 1
      if isLast, random.oneIn(12) { unfinishedBlock = id }
      let flags = isLast && unfinishedBlock == nil ? Frames.endHeaders : 0
      bytes += Frames.frame(
        index == 0 ? 1 : 9, flags: flags | (index == 0 ? end : 0), stream: id, piece)
    }
    return bytes
  }

  /// Opens many valid streams, because small uncharged memory per stream only shows in their
  /// number.
  ///
  /// - Parameters:
  ///   - fields: The header fields of a stream. Metadata may fill them up to the limit.
  mutating func flood(
    _ fields: [(String, String)], on streams: [UInt32], _ random: inout Choices
  ) -> [UInt8] {
    guard unfinishedBlock == nil else { return [] }
    let filling = [("x-flood", String(repeating: "v", count: 15_000))]
    let block = Frames.block(fields + (random.oneIn(2) ? filling : []))
    let message = Frames.message([UInt8](repeating: 7, count: random.oneIn(2) ? 3 : 16_000))
    let isWhole = random.oneIn(2)
    let sent = isWhole ? message : Array(message.dropLast())
    return streams.flatMap {
      Frames.frame(1, flags: Frames.endHeaders, stream: $0, block)
        + Frames.data($0, sent, end: isWhole)
    }
  }

  /// A CONTINUATION frame.
  private mutating func continuation(_ random: inout Choices) -> [UInt8] {
    let stream = unfinishedBlock ?? 1
    let isLast = random.oneIn(2)
    if isLast { unfinishedBlock = nil }
    let fields = Frames.block(Self.metadata(&random))
    return Frames.frame(
      9, flags: isLast ? Frames.endHeaders : 0, stream: stream, Array(fields.prefix(16_000)))
  }

  /// A complete or partial message in frames.
  mutating func message(_ random: inout Choices) -> [UInt8] {
    guard unfinishedBlock == nil, let stream = open.randomElement(using: &random) else { return [] }
    let length = random.size(270_000)
    var body = Frames.message(
      [UInt8](repeating: 7, count: length), isCompressed: random.oneIn(9))
    if random.oneIn(2) { body = Array(body.prefix(random.size(body.count))) }
    let isEnd = random.oneIn(5)
    if isEnd { forget(stream) }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: max(1, body.count), by: 16_000) {
      let end = min(start + 16_000, body.count)
      bytes += Frames.data(stream, Array(body[start..<end]), end: isEnd && end == body.count)
    }
    return bytes
  }

  /// A frame other than HEADERS and DATA.
  mutating func control(_ random: inout Choices) -> [UInt8] {
    guard unfinishedBlock == nil else { return [] }
    let stream = open.randomElement(using: &random) ?? 0
    switch random.below(7) {
    case 0: return Frames.frame(6, [1, 2, 3, 4, 5, 6, 7, 8])
    case 1: return Frames.frame(8, stream: 0, Frames.big(UInt32(1 + random.size(1_000_000)), 4))
    case 2: return Frames.frame(8, stream: stream, Frames.big(UInt32(1 + random.size(500_000)), 4))
    case 3: return Frames.frame(4, [0, 4] + Frames.big(UInt32(random.size(100_000)), 4))
    case 4: return Frames.frame(4, [0, 1] + Frames.big(UInt32(random.size(70_000)), 4))
    case 5: return Frames.frame(11, [UInt8](repeating: 0, count: random.size(2_000)))
    default:
      forget(stream)
      return Frames.frame(3, stream: stream, [0, 0, 0, 8])
    }
  }

  /// Metadata fields of a call: mostly the allowed maximum or a part of it, sometimes far more.
  static func metadata(_ random: inout Choices) -> [(String, String)] {
    let count = random.below(6)
    let bytes = random.oneIn(8) ? 60_000 : 15_000 / max(1, count)
    return (0..<count).map { index in
      if random.oneIn(6) {
        return ("x\(index)-bin", "AAAA" + String(repeating: ",", count: random.size(bytes / 38)))
      }
      let name = "x-" + String(repeating: "n", count: 1 + random.size(bytes / 4)) + "\(index)"
      let room = bytes - name.utf8.count - 32
      return (name, String(repeating: "v", count: random.oneIn(3) ? random.size(room) : room))
    }
  }
}

/// The habits of one history: some do one thing over and over, on one connection or on many.
struct Habits {
  let connections: Int
  /// Whether nobody reads from the beginning.
  let isDeaf: Bool
  private let weights: [Int]

  init(actions: Int, _ random: inout Choices) {
    connections = [1, 2, 6, 24, 48][random.below(5)]
    isDeaf = random.oneIn(3)
    weights = (0..<actions).map { _ in [0, 1, 2, 10, 40][random.below(5)] + 1 }
  }

  /// The number of the next action.
  func next(_ random: inout Choices) -> Int {
    var rest = random.below(weights.reduce(0, +))
    for (action, weight) in weights.enumerated() {
      rest -= weight
      if rest < 0 { return action }
    }
    return 0
  }
}

extension Choices {
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// A size up to `most`. Small ones are as likely as large ones.
  mutating func size(_ most: Int) -> Int { below(1 + below(4) * max(1, most) / 3) }
}
