// SPDX-License-Identifier: Apache-2.0
// The parts of a stored row: numbers, bytes, and values that may be absent.

/// Writes the parts of a row, in an order that its reader knows.
struct RowWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func signed(_ number: Int64) { self.number(UInt64(bitPattern: number)) }

  mutating func flag(_ flag: Bool) { number(flag ? 1 : 0) }

  mutating func data(_ data: [UInt8]) {
    number(UInt64(data.count))
    bytes.append(contentsOf: data)
  }

  mutating func text(_ text: String) { data(Array(text.utf8)) }

  mutating func optional<Value>(_ value: Value?, _ write: (inout RowWriter, Value) -> Void) {
    flag(value != nil)
    if let value { write(&self, value) }
  }
}

/// Reads the parts of a row. Anything else than what a writer wrote is damage.
struct RowReader {
  /// A row that no writer wrote.
  struct Damage: Error {}

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func number() throws(Damage) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = rest.popFirst() else { throw Damage() }
      guard shift < 63 || byte <= 1 else { throw Damage() }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw Damage()
  }

  mutating func signed() throws(Damage) -> Int64 { Int64(bitPattern: try number()) }

  mutating func flag() throws(Damage) -> Bool {
    switch try number() {
    case 0: return false
    case 1: return true
    default: throw Damage()
    }
  }

  mutating func data() throws(Damage) -> [UInt8] {
    let count = try number()
    guard count <= UInt64(rest.count) else { throw Damage() }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  mutating func text() throws(Damage) -> String {
    guard let text = String(validating: try data(), as: UTF8.self) else { throw Damage() }
    return text
  }

  mutating func optional<Value>(
    _ read: (inout RowReader) throws(Damage) -> Value
  ) throws(Damage) -> Value? {
    try flag() ? try read(&self) : nil
  }

  /// - Throws: `Damage` if something is left.
  func end() throws(Damage) {
    guard rest.isEmpty else { throw Damage() }
  }
}
