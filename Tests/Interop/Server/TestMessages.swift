// SPDX-License-Identifier: Apache-2.0
// The messages of grpc.testing, as far as the service reads and writes them.

/// Why bytes are no message.
struct NotAMessage: Error {}

/// The fields of a protobuf message: the last value of each number, and all of repeated ones.
struct Fields {
  private(set) var numbers: [Int: UInt64] = [:]
  private(set) var bytes: [Int: [ArraySlice<UInt8>]] = [:]

  init(_ message: some Collection<UInt8>) throws {
    var rest = ArraySlice(message)
    while !rest.isEmpty {
      let tag = try Self.varint(&rest)
      let number = Int(truncatingIfNeeded: tag >> 3)
      switch tag & 7 {
      case 0: numbers[number] = try Self.varint(&rest)
      case 1: try Self.skip(8, &rest)
      case 2:
        let length = try Self.varint(&rest)
        guard length <= UInt64(rest.count) else { throw NotAMessage() }
        bytes[number, default: []].append(rest.prefix(Int(length)))
        rest = rest.dropFirst(Int(length))
      case 5: try Self.skip(4, &rest)
      default: throw NotAMessage()
      }
    }
  }

  func number(_ field: Int) -> Int {
    numbers[field].map { Int(Int32(truncatingIfNeeded: $0)) } ?? 0
  }

  func message(_ field: Int) throws -> Fields? { try bytes[field]?.last.map { try Fields($0) } }

  /// A `BoolValue`. Nil: absent.
  func flag(_ field: Int) throws -> Bool? { try message(field).map { $0.number(1) != 0 } }

  private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      guard let byte = rest.popFirst() else { throw NotAMessage() }
      value |= UInt64(byte & 0x7F) << UInt64(min(shift, 63))
      if byte < 0x80 { return value }
    }
    throw NotAMessage()
  }

  private static func skip(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws {
    guard rest.count >= count else { throw NotAMessage() }
    rest = rest.dropFirst(count)
  }
}

/// Encoding of the responses.
enum Encoded {
  /// A response whose field 1 is a payload with this many zeros.
  static func payload(size: Int) -> [UInt8] {
    let body = field(2, [UInt8](repeating: 0, count: size))
    return field(1, body)
  }

  /// A response whose field 1 is a number.
  static func number(_ value: Int) -> [UInt8] { [1 << 3] + varint(UInt64(max(0, value))) }

  private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
    [number << 3 | 2] + varint(UInt64(content.count)) + content
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
