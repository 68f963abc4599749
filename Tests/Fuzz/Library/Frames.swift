// SPDX-License-Identifier: Apache-2.0
// Writes HTTP/2 frames by hand, for fuzzers and property tests.

package enum Frames {
  package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  package static let settings = frame(4)
  package static let settingsAck = frame(4, flags: 1)
  package static let endStream: UInt8 = 1
  package static let endHeaders: UInt8 = 4

  /// A frame. The header contains the payload's length.
  package static func frame(
    _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []
  ) -> [UInt8] {
    big(UInt32(truncatingIfNeeded: payload.count), 3) + [type, flags] + big(stream, 4) + payload
  }

  package static func headers(
    _ stream: UInt32, _ fields: [(String, String)], end: Bool = false
  ) -> [UInt8] {
    frame(1, flags: endHeaders | (end ? endStream : 0), stream: stream, block(fields))
  }

  /// Encodes fields as HPACK literals.
  ///
  /// - Parameter isIndexed: Whether the peer adds them to its dynamic table.
  package static func block(_ fields: [(String, String)], isIndexed: Bool = false) -> [UInt8] {
    fields.flatMap { [isIndexed ? 0x40 : 0] + text($0.0) + text($0.1) }
  }

  package static func data(_ stream: UInt32, _ bytes: [UInt8], end: Bool = false) -> [UInt8] {
    frame(0, flags: end ? endStream : 0, stream: stream, bytes)
  }

  /// A message with its length prefix.
  package static func message(_ bytes: [UInt8], isCompressed: Bool = false) -> [UInt8] {
    [isCompressed ? 1 : 0] + big(UInt32(truncatingIfNeeded: bytes.count), 4) + bytes
  }

  package static func request(_ path: String, encoding: String? = nil) -> [(String, String)] {
    [
      (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
      ("te", "trailers"), ("content-type", "application/grpc"),
    ] + (encoding.map { [("grpc-encoding", $0)] } ?? [])
  }

  /// A call of a page.
  package static func webRequest(_ path: String, from site: String) -> [(String, String)] {
    [
      (":method", "POST"), (":scheme", "https"), (":path", path), (":authority", "localhost"),
      ("content-type", "application/grpc-web+proto"), ("sec-fetch-site", site),
    ]
  }

  package static func fileRequest(_ path: String) -> [(String, String)] {
    [
      (":method", "GET"), (":scheme", "https"), (":path", path), (":authority", "localhost"),
      ("accept-encoding", "gzip, br;q=0"), ("if-none-match", "W/\"a\", \"b\""),
    ]
  }

  package static let response = [(":status", "200"), ("content-type", "application/grpc")]
  package static let trailers = [("grpc-status", "0")]

  package static func big(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }

  /// An HPACK string without Huffman. Source: RFC 7541, sections 5.1 and 5.2.
  private static func text(_ text: String) -> [UInt8] {
    var length: [UInt8] = []
    var rest = text.utf8.count
    if rest < 127 { return [UInt8(rest)] + text.utf8 }
    rest -= 127
    while rest >= 128 {
      length.append(UInt8(rest % 128 + 128))
      rest /= 128
    }
    return [127] + length + [UInt8(rest)] + text.utf8
  }
}

/// Seeds from a connection's bytes: raw, and framed under ordinary and under small limits.
///
/// - Parameters:
///   - flags: The flags of the three seeds.
///   - actions: The actions at the end of the framed ones.
///   - actions: What the framed ones end with.
func wireSeeds(
  _ name: String, _ frames: [UInt8], flags: [UInt8], actions: [UInt8]
) -> [(name: String, input: [UInt8])] {
  let choices: [UInt8] = [0, 0, 0, 1]
  let script = WireScript.shortened(frames) + actions
  return zip(["raw-", "framed-", "small-"], flags).map { prefix, flags in
    let body = prefix == "raw-" ? frames : script
    return (name: prefix + name, input: [flags] + choices + body)
  }
}

/// How a fuzzer's input becomes bytes on a connection.
///
/// Either raw, or as frames with correct lengths. Otherwise most inputs would end at the first
/// wrong length.
struct WireScript {
  enum Step {
    case bytes([UInt8])
    /// An action of the owner: time, shutdown, reading. The target defines which.
    case action(UInt8)
  }

  let steps: [Step]

  /// - Parameter isFramed: Whether the input consists of frames without lengths: type, flags,
  ///   stream, length, payload.
  init(_ bytes: [UInt8], isFramed: Bool, choices: inout Choices) {
    var steps: [Step] = []
    if isFramed {
      var input = Input(bytes)
      while !input.rest.isEmpty {
        let type = input.byte()
        guard type < 0xE0 else {
          steps.append(.action(type - 0xE0))
          continue
        }
        let flags = input.byte()
        let stream = UInt32(input.byte())
        let count = Int(input.byte())
        let payload = count < 0xF0 ? input.bytes(count) : input.bytes(count << 4)
        // Type 9 is the last in HTTP/2. A few beyond it are unknown and must be ignored.
        let frame = Frames.frame(type % 12, flags: flags, stream: stream, payload)
        steps += choices.pieces(frame).map { .bytes(Array($0)) }
      }
    } else {
      for piece in choices.pieces(bytes) {
        steps.append(.bytes(Array(piece)))
        if choices.below(16) == 0 { steps.append(.action(UInt8(choices.below(32)))) }
      }
    }
    self.steps = steps
  }

  /// Converts frames to the form of a framed script.
  static func shortened(_ frames: [UInt8]) -> [UInt8] {
    var rest = frames[...]
    var script: [UInt8] = []
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let count = Int(head[1]) << 8 | Int(head[2])
      let payload = rest.dropFirst(9).prefix(min(count, 0xEF))
      script += [head[3], head[4], head[8], UInt8(payload.count)] + payload
      rest = rest.dropFirst(9 + count)
    }
    return script
  }
}
