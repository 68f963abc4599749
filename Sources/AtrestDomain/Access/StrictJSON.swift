// SPDX-License-Identifier: Apache-2.0
// Parses JSON strictly, with bounds and unique keys, so that no two readers see different values.

/// A JSON value, as needed for signed statements.
///
/// For duplicate names Foundation's decoder keeps an unspecified one of the two, so a signature
/// would cover two meanings. This parser rejects duplicates, and bounds depth and count, before
/// anything is verified.
package enum StrictJSON: Equatable {
  case object([String: StrictJSON])
  case array([StrictJSON])
  case string(String)
  case integer(Int64)
  /// A number with a fraction or exponent, or out of range, as it is written. No claim in use has
  /// one.
  case otherNumber(String)
  case bool(Bool)
  case null

  /// The nesting limit. Apple's statements nest two deep.
  static let depthLimit = 8

  /// Parses a text; nil unless all of it is one JSON value within the limits.
  ///
  /// - Parameter valueLimit: The most members and elements in one text. A statement has far fewer.
  /// - Complexity: O(n).
  package init?(_ bytes: [UInt8], valueLimit: Int = 512) {
    var reader = JSONReader(bytes: bytes, valueLimit: valueLimit)
    guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
    self = value
  }

  /// An object's members; nil for other values.
  package var members: [String: StrictJSON]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// A string's text; nil for other values.
  package var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// An integer's value; nil for other values.
  package var number: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// A number as it is written; nil for other values.
  package var numberText: String? {
    switch self {
    case .integer(let number): String(number)
    case .otherNumber(let text): text
    case .object, .array, .string, .bool, .null: nil
    }
  }

  /// A number's value, as near as `DecimalNumber` reads it; nil for other values.
  package var decimal: Double? { numberText.flatMap { DecimalNumber.value(scientific: $0) } }

  /// An array's elements; nil for other values.
  package var elements: [StrictJSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

/// A single-pass parser. Every step returns nil on invalid JSON.
private struct JSONReader {
  let bytes: [UInt8]
  let valueLimit: Int
  private var place = 0
  private var values = 0

  init(bytes: [UInt8], valueLimit: Int) {
    self.bytes = bytes
    self.valueLimit = valueLimit
  }

  /// Whether only white space is left.
  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return place == bytes.count
    }
  }

  mutating func value(depth: Int) -> StrictJSON? {
    values += 1
    guard depth <= StrictJSON.depthLimit, values <= valueLimit else { return nil }
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> StrictJSON? {
    place += 1
    var members: [String: StrictJSON] = [:]
    if takeAfterSpace("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let name = string(), takeAfterSpace(":"), let value = value(depth: depth + 1),
        members.updateValue(value, forKey: name) == nil
      else { return nil }
    } while takeAfterSpace(",")
    return takeAfterSpace("}") ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> StrictJSON? {
    place += 1
    var elements: [StrictJSON] = []
    if takeAfterSpace("]") { return .array(elements) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      elements.append(value)
    } while takeAfterSpace(",")
    return takeAfterSpace("]") ? .array(elements) : nil
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while let byte = next() {
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped() else { return nil }
        text.append(contentsOf: Array(String(scalar).utf8))
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    switch next() {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      guard let unit = hexUnit() else { return nil }
      guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
      // The first half of a surrogate pair; alone it is invalid.
      guard take("\\u"), let low = hexUnit(), (0xDC00..<0xE000).contains(low) else { return nil }
      return Unicode.Scalar(0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
    default: return nil
    }
  }

  private mutating func hexUnit() -> UInt32? {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue,
        byte < 0x80
      else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  private mutating func number() -> StrictJSON? {
    let start = place
    _ = take("-")
    let whole = digits()
    guard whole == 1 || whole > 1 && bytes[place - whole] != UInt8(ascii: "0") else { return nil }
    var isInteger = true
    if take(".") {
      guard digits() > 0 else { return nil }
      isInteger = false
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard digits() > 0 else { return nil }
      isInteger = false
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    guard isInteger, let number = Int64(text) else { return .otherNumber(text) }
    return .integer(number)
  }

  /// Skips digits and returns their number.
  private mutating func digits() -> Int {
    let start = place
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
    return place - start
  }

  private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func next() -> UInt8? {
    guard let byte = peek else { return nil }
    place += 1
    return byte
  }

  private mutating func skipSpace() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let expected = text.withUTF8Buffer(Array.init)
    guard bytes[place...].starts(with: expected) else { return false }
    place += expected.count
    return true
  }

  private mutating func takeAfterSpace(_ text: StaticString) -> Bool {
    skipSpace()
    return take(text)
  }
}
