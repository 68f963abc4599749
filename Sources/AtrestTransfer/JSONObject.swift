// SPDX-License-Identifier: Apache-2.0
// Writes JSON objects member by member, as Foundation's encoder does without escaped slashes.

import AtrestReplication

/// An object. Its members stay in the order in which they are added.
package struct JSONObject {
  private var body: [UInt8] = []

  init() {}

  /// An object of texts, sorted by name.
  init(_ texts: [String: String]) {
    for (name, text) in texts.sorted(by: { $0.key < $1.key }) { add(name, text) }
  }

  /// The object's JSON.
  var utf8: [UInt8] { [UInt8(ascii: "{")] + body + [UInt8(ascii: "}")] }

  mutating func add(_ name: String, _ text: String?) {
    guard let text else { return }
    begin(name)
    Self.write(text, to: &body)
  }

  mutating func add(_ name: String, _ number: Int?) { add(name, number.map { Int64($0) }) }

  mutating func add(_ name: String, _ number: Int64?) {
    guard let number else { return }
    begin(name)
    body.append(contentsOf: String(number).utf8)
  }

  mutating func add(_ name: String, _ object: JSONObject?) { add(name, encoded: object?.utf8) }

  /// Adds a value that is JSON already.
  mutating func add(_ name: String, encoded value: [UInt8]?) {
    guard let value else { return }
    begin(name)
    body.append(contentsOf: value)
  }

  private mutating func begin(_ name: String) {
    if !body.isEmpty { body.append(UInt8(ascii: ",")) }
    Self.write(name, to: &body)
    body.append(UInt8(ascii: ":"))
  }

  /// Appends a text with its quotes.
  package static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      let short: UInt8? =
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0A: UInt8(ascii: "n")
        case 0x0C: UInt8(ascii: "f")
        case 0x0D: UInt8(ascii: "r")
        default: nil
        }
      if let short {
        bytes += [UInt8(ascii: "\\"), short]
      } else if byte < 0x20 {
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(contentsOf: Hexadecimal.encoded([byte]).utf8)
      } else {
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
