// SPDX-License-Identifier: Apache-2.0
// Parses a file into nodes with line numbers. All input is bounded.

import AtrestDomain
import Foundation
import Yams

/// A node of a scenario file.
struct Part {
  let file: String
  let line: Int
  let content: Content

  /// The node's content; pairs are in file order.
  enum Content {
    case text(String)
    case list([Part])
    case pairs([(key: Part, value: Part)])
  }

  /// An error at this node.
  func error(_ problem: String) -> ScenarioError {
    ScenarioError(file: file, line: line, problem: problem)
  }

  /// An error with the expected and the found content.
  func expected(_ what: String) -> ScenarioError {
    error("expected \(what), found \(found)")
  }

  /// A short description of the content.
  var found: String {
    switch content {
    case .text(""): "nothing"
    case .text(let text): "“\(Part.shortened(text))”"
    case .list: "a list"
    case .pairs: "`key: value`"
    }
  }

  /// File text shortened for an error, without scalars that could steer a terminal.
  static func shortened(_ text: String) -> String {
    let visible = text.unicodeScalars.prefix(60).map { scalar in
      isPlain(scalar) ? scalar : "\u{FFFD}" as Unicode.Scalar
    }
    return String(String.UnicodeScalarView(visible))
      + (text.unicodeScalars.count > 60 ? "…" : "")
  }

  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .privateUse, .unassigned: false
    default: !scalar.steersDisplay
    }
  }
}

extension Part {
  /// The nesting limit. A scenario needs seven levels.
  private static let depthLimit = 16
  /// The most occurrences of `&name` and `*name` in a file, prose included. Aliases can expand
  /// exponentially, so the count bounds parsing; an actual alias is rejected in any case.
  private static let aliasLimit = 24

  /// Parses the only document of a file.
  init(document text: String, file: String) throws(ScenarioError) {
    guard text.utf8.count <= Scenario.Limits.fileBytes else {
      throw ScenarioError(file: file, line: 0, problem: "a scenario has at most 1 MiB of text")
    }
    try Part.checkAliases(text, file)
    let parser: Parser
    let root: Node?
    do {
      // The basic resolver keeps text as text, so that 22:30 is not a number and `no` not a
      // boolean.
      parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
      root = try parser.singleRoot()
    } catch {
      throw Part.translated(error, file)
    }
    guard let root else {
      throw ScenarioError(file: file, line: 0, problem: "expected a scenario, found nothing")
    }
    // Nodes refer weakly to their anchors, which the parser owns.
    defer { withExtendedLifetime(parser) {} }
    self = try Part(root, file: file, line: 1, depth: 0)
  }

  private init(_ node: Node, file: String, line: Int, depth: Int) throws(ScenarioError) {
    let line = node.mark?.line ?? line
    self.file = file
    self.line = line
    func fail(_ problem: String) -> ScenarioError {
      ScenarioError(file: file, line: line, problem: problem)
    }
    guard depth <= Part.depthLimit else { throw fail("expected less nesting") }
    guard node.anchor == nil else {
      throw fail("anchors and aliases (& and *) have no meaning in a scenario; write it out")
    }
    switch node {
    case .scalar(let scalar): content = .text(scalar.string)
    case .sequence(let sequence):
      var list: [Part] = []
      for child in sequence {
        list.append(try Part(child, file: file, line: line, depth: depth + 1))
      }
      content = .list(list)
    case .mapping(let mapping):
      var pairs: [(key: Part, value: Part)] = []
      for (key, value) in mapping {
        let key = try Part(key, file: file, line: line, depth: depth + 1)
        pairs.append(
          (key, try Part(value, file: file, line: key.line, depth: depth + 1)))
      }
      content = .pairs(pairs)
    case .alias:
      throw fail("anchors and aliases (& and *) have no meaning in a scenario; write it out")
    }
  }

  private static func checkAliases(_ text: String, _ file: String) throws(ScenarioError) {
    var (count, line) = (0, 1)
    var before = UInt8(ascii: "\n")
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\n") { line += 1 }
      // After a letter or digit, or before a space, the sign is prose. Overcounting is harmless.
      if before == UInt8(ascii: "&") || before == UInt8(ascii: "*"), byte > UInt8(ascii: " ") {
        count += 1
        guard count <= aliasLimit else {
          throw ScenarioError(
            file: file, line: line,
            problem: "expected fewer & and *: anchors and aliases have no meaning in a scenario")
        }
      }
      before = byte
    }
  }

  private static func translated(_ error: any Error, _ file: String) -> ScenarioError {
    func problem(_ text: String, _ line: Int) -> ScenarioError {
      ScenarioError(file: file, line: max(0, line), problem: "this is not YAML: \(text)")
    }
    switch error {
    case YamlError.scanner(_, let text, let mark, _), YamlError.parser(_, let text, let mark, _),
      YamlError.composer(_, let text, let mark, _):
      return problem(shortened(text), mark.line)
    case YamlError.duplicatedKeysInMapping(let keys, let context):
      return ScenarioError(
        file: file, line: context.mark.line,
        problem: "expected “\(shortened(keys.first ?? ""))” once, found it twice")
    case YamlError.reader(let text, _, _, _): return problem(shortened(text), 0)
    default: return problem("it cannot be read", 0)
    }
  }
}
