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

  /// The sprout of a typed id or of words of its title. Words that fit several sprouts mean the one
  /// that grows, if only one of them does.
  ///
  /// - Throws: `IDProblem` unless there is exactly one.
  static func sprout(_ typed: String, in garden: Garden) throws(IDProblem) -> Sprout {
    try find(
      typed, in: garden.sprouts, noun: "sprout", id: { $0.id }, name: { $0.title },
      prefers: { $0.state == .active }, describe: { "\(GardenWords.title($0)), \($0.twig.number)" })
  }

  /// The leaf of a typed id or of words of its name.
  ///
  /// - Throws: `IDProblem` unless there is exactly one.
  static func leaf(_ typed: String, in leaves: [Leaf]) throws(IDProblem) -> Leaf {
    try find(
      typed, in: leaves, noun: "leaf", id: { $0.id }, name: { $0.name }, prefers: { _ in false },
      describe: { "\($0.name.quotedForTerminal), \($0.twig.number)" })
  }

  private static func find<Element>(
    _ typed: String, in elements: [Element], noun: String, id: (Element) -> RecordUUID,
    name: (Element) -> String, prefers: (Element) -> Bool, describe: (Element) -> String
  ) throws(IDProblem) -> Element {
    let words = typed.lowercased()
    let named = elements.filter { words.count > 0 && name($0).lowercased().contains(words) }
    if let exact = named.first(where: { name($0).lowercased() == words }), named.count == 1 {
      return exact
    }
    let hex = words.filter { $0 != "-" }
    let isHex = !hex.isEmpty && hex.allSatisfy { $0.isASCII && $0.isHexDigit }
    let byID = isHex ? elements.filter { ShortID.hex(id($0)).hasPrefix(hex) } : []
    if byID.isEmpty, !named.isEmpty {
      let preferred = named.filter(prefers)
      if named.count == 1 || preferred.count == 1 {
        return preferred.count == 1 ? preferred[0] : named[0]
      }
      let short = ShortID.shortened(elements.map { ShortID.hex(id($0)) })
      throw .ambiguous(
        noun: noun, count: named.count,
        matches: named.prefix(10).map {
          "\(short[ShortID.hex(id($0))] ?? "")  \(describe($0))"
        })
    }
    guard isHex else { throw .unknown(noun: noun) }
    return try ShortID.find(
      hex, in: elements, noun: noun, id: { ShortID.hex(id($0)) }, describe: describe)
  }
}
