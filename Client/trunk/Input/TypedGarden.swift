// SPDX-License-Identifier: Apache-2.0
// Reads what people type for twigs, seasons, sprouts and leaves.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// Typed words of the garden.
enum TypedGarden {
  /// A twig, such as `3.5`.
  static func twig(_ text: String) throws(GardenProblem) -> Twig {
    guard let twig = Twig(typed: text) else { throw .twig }
    return twig
  }

  /// A branch, from 1 to 8, as its number from 0.
  static func branch(_ text: String) throws(GardenProblem) -> Int {
    guard case .branch(let branch)? = NodeID(typed: text) else { throw .branch }
    return branch
  }

  /// A part of the tree: `trunk`, `3`, `3.5`.
  static func node(_ text: String) throws(GardenProblem) -> NodeID {
    guard let node = NodeID(typed: text) else { throw .node }
    return node
  }

  /// A season's code.
  static func season(_ text: String) throws(GardenProblem) -> Season {
    guard let season = Season(code: text) else { throw .season }
    return season
  }

  /// An environment's code.
  static func environment(_ text: String) throws(GardenProblem) -> Environment {
    guard let environment = Environment(code: text) else { throw .environment }
    return environment
  }

  /// A result from 1 to 5.
  static func result(_ number: Int) throws(GardenProblem) -> HarvestResult {
    guard let result = HarvestResult(rawValue: Int64(number)) else { throw .result }
    return result
  }

  /// The sprout of a typed title, of words of it, or of the beginning of an id. A whole title is
  /// preferred to words of longer ones.
  ///
  /// - Parameter state: The state that the command is about: decides between sprouts that the words
  ///   fit alike.
  /// - Throws: `NameProblem` unless there is exactly one.
  static func sprout(
    _ typed: String, in garden: Garden, preferring state: Sprout.State = .active
  ) throws(NameProblem) -> Sprout {
    try find(
      typed, in: garden.sprouts, one: "sprout", many: "sprouts", id: { $0.id },
      name: { $0.title }, prefers: { $0.state == state },
      describe: { "\(GardenWords.title($0)), \($0.twig.number), \(GardenWords.state($0.state))" })
  }

  /// The leaf of a typed name, of words of it, or of the beginning of an id.
  ///
  /// - Throws: `NameProblem` unless there is exactly one.
  static func leaf(_ typed: String, in leaves: [Leaf]) throws(NameProblem) -> Leaf {
    try find(
      typed, in: leaves, one: "leaf", many: "leaves", id: { $0.id }, name: { $0.name },
      prefers: { _ in false },
      describe: { "\($0.name.quotedForTerminal), \($0.twig.number)" })
  }

  private static func find<Element>(
    _ typed: String, in elements: [Element], one: String, many: String,
    id: (Element) -> RecordUUID, name: (Element) -> String, prefers: (Element) -> Bool,
    describe: (Element) -> String
  ) throws(NameProblem) -> Element {
    let words = typed.lowercased()
    let hex = words.filter { $0 != "-" }
    let isHex = !hex.isEmpty && hex.allSatisfy { $0.isASCII && $0.isHexDigit }
    let byID = isHex ? elements.filter { ShortID.hex(id($0)).hasPrefix(hex) } : []
    if let whole = byID.first(where: { ShortID.hex(id($0)) == hex }) { return whole }
    let exact = elements.filter { name($0).lowercased() == words }
    let byName =
      exact.isEmpty && !words.isEmpty
      ? elements.filter { name($0).lowercased().contains(words) } : exact
    let named = Set(byName.map(id))
    let others = byID.filter { !named.contains(id($0)) }
    let found = byName + others
    guard let first = found.first else { throw .unknown(one) }
    guard found.count > 1 else { return first }
    let preferred = byName.filter(prefers)
    // A short word may also begin an id: then nothing says which one was meant.
    if others.isEmpty, preferred.count == 1 { return preferred[0] }
    let short = ShortID.shortened(elements.map { ShortID.hex(id($0)) })
    throw .ambiguous(
      many, count: found.count,
      matches: found.prefix(10).map { "\(short[ShortID.hex(id($0))] ?? "")  \(describe($0))" })
  }
}
