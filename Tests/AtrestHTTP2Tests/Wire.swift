// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes HTTP/2 frames for tests, independently of the code under test.

import CAtrestNghttp2

@testable import AtrestHTTP2

/// One HTTP/2 frame.
struct Frame: Equatable {
  var type: UInt8
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  static let endStream: UInt8 = 1
  static let endHeaders: UInt8 = 4
  static let ack: UInt8 = 1

  var bytes: [UInt8] {
    big(UInt32(payload.count), 3) + [type, flags] + big(stream, 4) + payload
  }

  static func data(_ stream: UInt32, _ payload: [UInt8], end: Bool = false) -> Frame {
    Frame(type: 0, flags: end ? endStream : 0, stream: stream, payload: payload)
  }

  static func headers(_ stream: UInt32, _ fields: [(String, String)], end: Bool = false) -> Frame {
    Frame(
      type: 1, flags: endHeaders | (end ? endStream : 0), stream: stream,
      payload: fields.flatMap { hpackLiteral($0.0, $0.1) })
  }

  static func reset(_ stream: UInt32, _ code: UInt32) -> Frame {
    Frame(type: 3, stream: stream, payload: big(code, 4))
  }

  static func settings(_ values: [(UInt16, UInt32)] = []) -> Frame {
    Frame(type: 4, payload: values.flatMap { big(UInt32($0.0), 2) + big($0.1, 4) })
  }

  static let settingsAck = Frame(type: 4, flags: ack)
  static func ping(_ text: String = "12345678") -> Frame {
    Frame(type: 6, payload: Array(text.utf8))
  }

  static func goAway(last: UInt32, code: UInt32) -> Frame {
    Frame(type: 7, payload: big(last, 4) + big(code, 4))
  }

  static func window(_ stream: UInt32, _ increment: UInt32) -> Frame {
    Frame(type: 8, stream: stream, payload: big(increment, 4))
  }

  /// The error code of RST_STREAM or GOAWAY.
  var errorCode: UInt32? {
    switch type {
    case 3: number(payload[...])
    case 7: number(payload.dropFirst(4).prefix(4))
    default: nil
    }
  }

  var isEnd: Bool { type <= 1 && flags & Frame.endStream != 0 }
}

func big(_ value: UInt32, _ count: Int) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

/// A literal field with a new name, without Huffman coding: RFC 7541, section 6.2.2.
func hpackLiteral(_ name: String, _ value: String) -> [UInt8] {
  [0] + hpackString(name) + hpackString(value)
}

private func hpackString(_ text: String) -> [UInt8] {
  var length = text.utf8.count
  var out: [UInt8] = []
  if length < 127 {
    out.append(UInt8(length))
  } else {
    out.append(127)
    length -= 127
    while length >= 128 {
      out.append(UInt8(length & 127) | 128)
      length >>= 7
    }
    out.append(UInt8(length))
  }
  return out + Array(text.utf8)
}

/// Splits output into frames and decodes header blocks with nghttp2's own inflater.
final class FrameReader {
  private var buffer: [UInt8]
  private var inflater: OpaquePointer?

  /// - Parameter skipsPreface: Whether the bytes come from a client.
  init(skipsPreface: Bool = false) {
    buffer = []
    prefaceLeft = skipsPreface ? preface.count : 0
    nghttp2_hd_inflate_new(&inflater)
  }

  private var prefaceLeft: Int

  deinit { nghttp2_hd_inflate_del(inflater) }

  func read(_ bytes: [UInt8]) -> [Frame] {
    buffer += bytes
    let skip = min(prefaceLeft, buffer.count)
    buffer.removeFirst(skip)
    prefaceLeft -= skip
    var frames: [Frame] = []
    while buffer.count >= 9 {
      let length = Int(number(buffer[0..<3]))
      guard buffer.count >= 9 + length else { break }
      frames.append(
        Frame(
          type: buffer[3], flags: buffer[4], stream: number(buffer[5..<9]),
          payload: Array(buffer[9..<9 + length])))
      buffer.removeFirst(9 + length)
    }
    return frames
  }

  /// The fields of a HEADERS frame. Decode blocks in the order of arrival.
  func fields(_ frame: Frame) -> [String: String] {
    var fields: [String: String] = [:]
    var rest = frame.payload[...]
    while true {
      var field = nghttp2_nv()
      var flags: Int32 = 0
      let block = Array(rest)
      let used = nghttp2_hd_inflate_hd2(inflater, &field, &flags, block, block.count, 1)
      if used < 0 { break }
      rest = rest.dropFirst(used)
      if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
        let name = String(
          decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self)
        let value = String(
          decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen), as: UTF8.self)
        fields[name] = value
      }
      if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
        nghttp2_hd_inflate_end_headers(inflater)
        break
      }
      if used == 0, flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) == 0 { break }
    }
    return fields
  }
}

let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

/// A length-prefixed message.
func lpm(_ message: [UInt8], flag: UInt8 = 0) -> [UInt8] {
  [flag] + big(UInt32(message.count), 4) + message
}

/// The headers of an ordinary request, with changes: a value replaces or adds, nil removes.
func requestFields(_ changes: [(String, String?)] = []) -> [(String, String)] {
  var fields = [
    (":method", "POST"), (":scheme", "http"), (":path", "/test.Echo/Say"),
    (":authority", "localhost"), ("te", "trailers"), ("content-type", "application/grpc"),
  ]
  for (name, value) in changes {
    let index = fields.firstIndex { $0.0 == name }
    if let index, let value {
      fields[index].1 = value
    } else if let index {
      fields.remove(at: index)
    } else if let value {
      fields.append((name, value))
    }
  }
  return fields
}

extension Instant {
  static let start = Instant(nanoseconds: 1_000_000_000_000)
}
