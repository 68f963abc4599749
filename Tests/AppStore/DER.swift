// SPDX-License-Identifier: Apache-2.0
// Writes DER, right or wrong.

/// Elements of DER.
public enum DER {
  /// An element.
  public static func element(_ tag: UInt8, _ contents: [UInt8]...) -> [UInt8] {
    let contents = contents.flatMap(\.self)
    let length: [UInt8] =
      switch contents.count {
      case ..<0x80: [UInt8(contents.count)]
      case ..<0x100: [0x81, UInt8(contents.count)]
      default: [0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
      }
    return [tag] + length + contents
  }

  /// A SEQUENCE.
  public static func sequence(_ elements: [UInt8]...) -> [UInt8] {
    element(0x30, elements.flatMap(\.self))
  }

  /// An INTEGER of 0 to 127.
  public static func integer(_ number: UInt8) -> [UInt8] { element(0x02, [number]) }

  /// A BIT STRING of whole bytes.
  public static func bits(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0], bytes) }

  /// An OBJECT IDENTIFIER.
  public static func identifier(_ numbers: [Int]) -> [UInt8] {
    let numbers = [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2)
    let contents = numbers.flatMap { number in
      var digits: [UInt8] = []
      var rest = number
      repeat {
        digits.insert(UInt8(rest & 0x7F) | (digits.isEmpty ? 0 : 0x80), at: 0)
        rest >>= 7
      } while rest > 0
      return digits
    }
    return element(0x06, contents)
  }

  /// A name of one attribute, the common name.
  public static func name(_ common: String) -> [UInt8] {
    sequence(element(0x31, sequence(identifier([2, 5, 4, 3]), element(0x0C, Array(common.utf8)))))
  }

  /// A UTCTime, or whatever tag a test wants on its text.
  public static func time(_ text: String, tag: UInt8 = 0x17) -> [UInt8] {
    element(tag, Array(text.utf8))
  }
}
