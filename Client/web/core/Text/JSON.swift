// SPDX-License-Identifier: Apache-2.0
// Writes JSON: what the core says to the shell.

import AtrestReplication
import AtrestTransfer

/// A value to write.
package indirect enum JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
  case object([Member])
  case array([JSON])
  case text(String)
  case integer(Int64)
  /// A number with two decimals, in hundredths.
  case hundredths(Int64)
  case bool(Bool)

  /// A name with its value; without a value it is left out.
  package struct Member {
    let name: String
    let value: JSON?

    package init(_ name: String, _ value: JSON?) {
      self.name = name
      self.value = value
    }
  }

  package init(stringLiteral text: String) { self = .text(text) }
  package init(booleanLiteral flag: Bool) { self = .bool(flag) }

  /// A coordinate or a part, with two decimals; beyond a billion it is clamped.
  static func decimal(_ number: Double) -> JSON {
    let limit = 100_000_000_000.0
    return .hundredths(
      number.isNaN ? 0 : Int64((min(max(number * 100, -limit), limit)).rounded()))
  }

  static func count(_ number: Int) -> JSON { .integer(Int64(number)) }

  static func time(_ time: WallTime) -> JSON { .integer(time.milliseconds) }

  /// The text in UTF-8. O(size).
  package var utf8: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .object(let members):
      var separator = UInt8(ascii: "{")
      for member in members {
        guard let value = member.value else { continue }
        bytes.append(separator)
        JSONObject.write(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        value.write(to: &bytes)
        separator = UInt8(ascii: ",")
      }
      if separator == UInt8(ascii: "{") { bytes.append(separator) }
      bytes.append(UInt8(ascii: "}"))
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .text(let text): JSONObject.write(text, to: &bytes)
    case .integer(let number): bytes.append(contentsOf: String(number).utf8)
    case .hundredths(let number):
      let size = number.magnitude
      if number < 0 { bytes.append(UInt8(ascii: "-")) }
      bytes.append(contentsOf: String(size / 100).utf8)
      guard size % 100 > 0 else { return }
      bytes.append(UInt8(ascii: "."))
      bytes.append(UInt8(ascii: "0") + UInt8(size % 100 / 10))
      if size % 10 > 0 { bytes.append(UInt8(ascii: "0") + UInt8(size % 10)) }
    case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }
  }
}

extension JSON {
  /// Members in this order; those without a value are left out.
  static func members(_ members: (String, JSON?)...) -> JSON {
    .object(members.map { Member($0.0, $0.1) })
  }
}
