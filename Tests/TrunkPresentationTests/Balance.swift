// SPDX-License-Identifier: Apache-2.0
// Reads an SVG file independently of what wrote it: tags that balance, attributes that end.

/// Whether an SVG file is well-formed, and which elements it has.
struct Balance {
  /// Every element that the pictures use.
  static let known: Set<String> = [
    "svg", "title", "desc", "defs", "g", "path", "rect", "circle", "ellipse", "text", "use", "stop",
    "linearGradient", "radialGradient", "clipPath",
  ]

  private(set) var names: Set<String> = []
  /// What is wrong; nil if nothing is.
  private(set) var fault: String?

  init(_ text: String) {
    var rest = text[...]
    var open: [String] = []
    var ids: Set<String> = []
    var references: Set<String> = []
    while let start = rest.firstIndex(of: "<") {
      let words = rest[..<start]
      if words.contains(">") { fault = "a > in words: \(words.prefix(60))" }
      checkEntities(words)
      guard let end = rest[start...].firstIndex(of: ">") else {
        fault = "a tag without an end"
        return
      }
      var tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.first == "/" {
        if open.popLast() != String(tag.dropFirst()) { fault = "<\(tag)> closes something else" }
        continue
      }
      let isEmpty = tag.last == "/"
      if isEmpty { tag = tag.dropLast() }
      let name = String(tag.prefix { $0 != " " })
      names.insert(name)
      if !isEmpty { open.append(name) }
      let quotes = tag.split(separator: "\"", omittingEmptySubsequences: false)
      if quotes.count % 2 == 0 { fault = "an open quotation mark in <\(tag.prefix(80))>" }
      for index in stride(from: 0, to: quotes.count - 1, by: 2) {
        let key = quotes[index].drop { $0 != " " && index == 0 }.filter { $0 != " " }
        guard key.last == "=",
          key.dropLast().allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" })
        else {
          fault = "no attribute: \(key)"
          return
        }
        let value = quotes[index + 1]
        checkEntities(value)
        if key.hasPrefix("on") { fault = "a handler" }
        if key == "id=", !ids.insert(String(value)).inserted { fault = "\(value) is there twice" }
        if key == "href=" { references.insert(String(value.dropFirst())) }
        if value.hasPrefix("url(#") { references.insert(String(value.dropFirst(5).dropLast())) }
      }
    }
    if rest.contains(where: { !$0.isWhitespace }) { fault = "words at the end" }
    if !open.isEmpty { fault = "\(open[0]) is not closed" }
    if !references.isSubset(of: ids) { fault = "unknown: \(references.subtracting(ids))" }
  }

  private mutating func checkEntities(_ words: Substring) {
    for part in words.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
      let entity = part.prefix { $0 != ";" }
      if !["amp", "lt", "gt", "quot"].contains(String(entity)) { fault = "&\(entity.prefix(20))" }
    }
  }
}
