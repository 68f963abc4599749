// SPDX-License-Identifier: Apache-2.0
// Writes JSON objects member by member, as Foundation's encoder does without escaped slashes.

import AtrestDomain
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

  /// Appends a text with its quotes. What would steer a terminal that shows it is escaped, beyond
  /// what JSON demands.
  package static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      let short: UInt8? =
        switch scalar {
        case "\"": UInt8(ascii: "\"")
        case "\\": UInt8(ascii: "\\")
        case "\u{8}": UInt8(ascii: "b")
        case "\t": UInt8(ascii: "t")
        case "\n": UInt8(ascii: "n")
        case "\u{C}": UInt8(ascii: "f")
        case "\r": UInt8(ascii: "r")
        default: nil
        }
      if let short {
        bytes += [UInt8(ascii: "\\"), short]
      } else if scalar.steersDisplay {
        for unit in UTF16.encode(scalar) ?? .init() {
          bytes.append(contentsOf: "\\u".utf8)
          bytes.append(
            contentsOf: Hexadecimal.encoded([UInt8(unit >> 8), UInt8(unit & 0xFF)]).utf8)
        }
      } else {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
