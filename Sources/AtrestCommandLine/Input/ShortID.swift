// SPDX-License-Identifier: Apache-2.0
// Finds records by id prefix and shortens ids for display.

import AtrestDomain
import AtrestReplication

/// Ids as people see and type them: the shortest unique prefix of the hexadecimal digits.
public enum ShortID {
  /// The least number of digits shown.
  public static let digits = 8

  /// A UUID's digits in lower case, without hyphens.
  public static func hex(_ id: RecordUUID) -> String {
    Hexadecimal.encoded(id.bytes)
  }

  /// A number as 16 digits.
  public static func hex(_ number: UInt64) -> String {
    Hexadecimal.encoded(number)
  }

  /// The digits of bytes.
  public static func hex(_ bytes: [UInt8]) -> String {
    Hexadecimal.encoded(bytes)
  }

  /// The shortest unique prefix of each id, at least `digits` long. Equal ids stay whole.
  public static func shortened(_ ids: [String]) -> [String: String] {
    let sorted = Set(ids).sorted()
    var result: [String: String] = [:]
    for (index, id) in sorted.enumerated() {
      var shared = 0
      if index > 0 { shared = sharedDigits(id, sorted[index - 1]) }
      if index + 1 < sorted.count { shared = max(shared, sharedDigits(id, sorted[index + 1])) }
      result[id] = String(id.prefix(max(digits, shared + 1)))
    }
    return result
  }

  private static func sharedDigits(_ a: String, _ b: String) -> Int {
    zip(a.utf8, b.utf8).prefix { $0 == $1 }.count
  }

  /// The only element whose id has a prefix.
  ///
  /// - Parameters:
  ///   - typed: Any number of digits; case and hyphens are ignored.
  ///   - noun: The elements' noun in the singular, such as "fast".
  ///   - describe: A short description that tells elements apart.
  /// - Throws: `IDProblem` unless exactly one matches.
  public static func find<Element>(
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

/// Why a typed id does not select an element.
public enum IDProblem: Error, Hashable {
  /// Not hexadecimal digits.
  case notAnID
  /// No id has this prefix.
  case unknown(noun: String)
  /// Several ids have this prefix; at most ten are listed.
  case ambiguous(noun: String, count: Int, matches: [String])

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .notAnID:
      return Language.text(
        "That is not an id. An id is hexadecimal digits, as the lists show them.",
        de:
          "Das ist keine ID. Eine ID besteht aus hexadezimalen Ziffern, wie die Listen sie zeigen.")
    case .unknown(let noun):
      return Language.text(
        "No \(noun) has an id that begins so. The list shows the ids there are.",
        de: "Keine ID beginnt so. Die Liste zeigt, welche es gibt.")
    case .ambiguous(let noun, let count, let matches):
      let rest = count - matches.count
      let lines =
        matches + (rest > 0 ? [Language.text("and \(rest) more", de: "und \(rest) weitere")] : [])
      return Language.text(
        "\(count) \(noun == "entry" ? "entries" : noun + "s") have an id that begins so. "
          + "Type more of it:\n",
        de: "\(count) IDs beginnen so. Tippe mehr davon:\n")
        + lines.map { "  " + $0 }.joined(separator: "\n")
    }
  }
}
