// SPDX-License-Identifier: Apache-2.0
// Finds a record by the beginning of its id, and says how much of an id is enough to show.

import AtrestReplication
import Foundation

/// Ids as people see and type them: hexadecimal digits, of which the first few are enough where
/// nothing else begins so.
enum ShortID {
  /// Digits that are always shown.
  static let digits = 8

  /// The digits of a UUID, in lower case, without hyphens.
  static func hex(_ id: UUID) -> String {
    id.uuidString.lowercased().filter { $0 != "-" }
  }

  /// 16 digits.
  static func hex(_ number: UInt64) -> String {
    Hexadecimal.encoded(number)
  }

  /// The digits of bytes.
  static func hex(_ bytes: [UInt8]) -> String {
    Hexadecimal.encoded(bytes)
  }

  /// For each id its shortest beginning, of at least `digits`, that no other id shares. Equal ids
  /// are shown whole.
  static func shortened(_ ids: [String]) -> [String: String] {
    let sorted = Set(ids).sorted()
    var result: [String: String] = [:]
    for (index, id) in sorted.enumerated() {
      var shared = 0
      if index > 0 { shared = id.commonPrefix(with: sorted[index - 1]).count }
      if index + 1 < sorted.count {
        shared = max(shared, id.commonPrefix(with: sorted[index + 1]).count)
      }
      result[id] = String(id.prefix(max(digits, shared + 1)))
    }
    return result
  }

  /// The one element whose id begins with what was typed.
  ///
  /// - Parameters:
  ///   - typed: Any number of digits; case and hyphens do not matter.
  ///   - noun: What the elements are, in the singular: "fast".
  ///   - describe: A few words by which a person tells elements apart.
  /// - Throws: `IDProblem` where none or several match.
  static func find<Element>(
    _ typed: String, in elements: [Element], noun: String, id: (Element) -> String,
    describe: (Element) -> String
  ) throws(IDProblem) -> Element {
    let prefix = typed.lowercased().filter { $0 != "-" }
    guard !prefix.isEmpty, prefix.utf8.count <= 256,
      prefix.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else {
      throw .notAnID
    }
    let matches = elements.filter { id($0).hasPrefix(prefix) }
    if let exact = matches.first(where: { id($0) == prefix }) { return exact }
    guard let first = matches.first else { throw .unknown(noun: noun) }
    guard matches.count > 1 else { return first }
    let short = shortened(elements.map(id))
    throw .ambiguous(
      noun: noun, count: matches.count,
      matches: matches.prefix(10).map { "\(short[id($0)] ?? id($0))  \(describe($0))" })
  }
}

/// Why an id that was typed names nothing.
enum IDProblem: Error, Hashable {
  /// Not hexadecimal digits.
  case notAnID
  /// Nothing has an id that begins so.
  case unknown(noun: String)
  /// Several have; at most ten are named.
  case ambiguous(noun: String, count: Int, matches: [String])

  /// What happened, then what to do.
  var userMessage: String {
    switch self {
    case .notAnID:
      return "That is not an id. An id is hexadecimal digits, as the lists show them."
    case .unknown(let noun):
      return "No \(noun) has an id that begins so. The list shows the ids there are."
    case .ambiguous(let noun, let count, let matches):
      let rest = count - matches.count
      let lines = matches + (rest > 0 ? ["and \(rest) more"] : [])
      return "\(count) \(noun == "entry" ? "entries" : noun + "s") have an id that begins so. "
        + "Type more of it:\n" + lines.map { "  " + $0 }.joined(separator: "\n")
    }
  }
}
