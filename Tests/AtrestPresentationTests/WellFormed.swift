// SPDX-License-Identifier: Apache-2.0
// Parses a picture as strictly as a browser, and checks what every picture must satisfy.

import Testing

/// The contents of an SVG file, read by an independent XML parser.
struct Reading {
  struct Element {
    var name: String
    var attributes: [String: String]
    var words = ""
  }

  private(set) var elements: [Element] = []
  /// What is wrong with the file. Nil if it is well-formed.
  private(set) var problem: String?

  init(_ text: String) {
    var rest = Substring(text)
    var open: [Int] = []
    while problem == nil, !rest.isEmpty {
      if rest.first != "<" {
        let words = rest.prefix { $0 != "<" }
        rest = rest.dropFirst(words.count)
        if let index = open.last {
          elements[index].words += Self.unescaped(words) ?? "?"
          if Self.unescaped(words) == nil { problem = "entity in \(words.prefix(40))" }
        } else if words.contains(where: { !$0.isWhitespace }) {
          problem = "words outside: \(words.prefix(40))"
        }
        continue
      }
      guard let end = rest.firstIndex(of: ">") else {
        problem = "a tag without an end"
        return
      }
      var tag = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.first == "/" {
        guard let index = open.popLast(), elements[index].name == tag.dropFirst() else {
          problem = "</\(tag.dropFirst())> closes something else"
          return
        }
        continue
      }
      let isEmpty = tag.last == "/"
      if isEmpty { tag = tag.dropLast() }
      guard let element = Self.element(tag) else {
        problem = "not a tag: \(tag.prefix(60))"
        return
      }
      if open.isEmpty, !elements.isEmpty { problem = "two roots" }
      if !isEmpty { open.append(elements.count) }
      elements.append(element)
    }
    if problem == nil, !open.isEmpty { problem = "\(elements[open[0]].name) is not closed" }
    if elements.isEmpty { problem = "nothing" }
  }

  private static func element(_ tag: Substring) -> Element? {
    let name = tag.prefix { $0 != " " }
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter }) else { return nil }
    var result = Element(name: String(name), attributes: [:])
    var rest = tag.dropFirst(name.count)
    while !rest.isEmpty {
      guard rest.first == " ", let equals = rest.firstIndex(of: "=") else { return nil }
      let key = String(rest[rest.index(after: rest.startIndex)..<equals])
      rest = rest[rest.index(after: equals)...]
      guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\""),
        let value = unescaped(rest[rest.index(after: rest.startIndex)..<end]),
        result.attributes.updateValue(value, forKey: key) == nil
      else { return nil }
      rest = rest[rest.index(after: end)...]
    }
    return result
  }

  private static func unescaped(_ text: Substring) -> String? {
    var result = ""
    var rest = text
    while let character = rest.popFirst() {
      guard character == "&" else {
        if character == "<" { return nil }
        result.append(character)
        continue
      }
      let entities = ["amp;": "&", "lt;": "<", "gt;": ">", "quot;": "\""]
      guard let found = entities.first(where: { rest.hasPrefix($0.key) }) else { return nil }
      result += found.value
      rest = rest.dropFirst(found.key.count)
    }
    return result
  }

  func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

  /// The first requirement for every picture that is violated. Nil if all hold.
  var fault: String? {
    if let problem { return problem }
    let ids = elements.compactMap { $0.attributes["id"] }
    if Set(ids).count != ids.count { return "an id is there twice" }
    for element in elements {
      if ["script", "image", "foreignObject", "style", "a"].contains(element.name) {
        return "<\(element.name)>"
      }
      for (key, value) in element.attributes {
        if key.hasPrefix("on") { return "a handler: \(key)" }
        if value.contains("nan") || value.contains("inf") { return "\(key)=\"\(value)\"" }
        if key == "href", !(value.first == "#" && ids.contains(String(value.dropFirst()))) {
          return "href to \(value)"
        }
        if let start = value.range(of: "url(") {
          let id = value[start.upperBound...].dropFirst().prefix { $0 != ")" }
          if !ids.contains(String(id)) { return "\(key) refers to \(id)" }
        }
        if Self.numeric.contains(key), Double(value) == nil { return "\(key)=\"\(value)\"" }
      }
    }
    guard let root = elements.first, root.name == "svg", root.attributes["viewBox"] != nil else {
      return "no svg with a viewBox"
    }
    let names = (root.attributes["aria-labelledby"] ?? "").split(separator: " ").map(String.init)
    if names != ["title", "summary"] || !names.allSatisfy(ids.contains) { return "no name" }
    return nil
  }

  private static let numeric: Set<String> = [
    "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "width", "height", "opacity",
    "offset", "stop-opacity", "fill-opacity", "stroke-opacity", "stroke-width", "font-size",
    "stdDeviation",
  ]
}
