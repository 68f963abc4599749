// SPDX-License-Identifier: Apache-2.0
// How elements, attributes and numbers of an SVG file are written: the same bytes in every process.

/// A growing SVG document.
struct Markup {
  /// What has been written.
  private(set) var text = ""

  /// Begins the document: no script, no reference to anything outside, one picture with a name.
  ///
  /// - Parameters:
  ///   - title: Its name, for people who hear it.
  ///   - summary: What is to be seen.
  ///   - top: Where on the canvas the picture begins.
  ///   - isGroup: Whether its parts have names of their own, which screen readers then go through.
  init(
    title: String, summary: String, width: Double, height: Double, top: Double = 0,
    isGroup: Bool = false
  ) {
    text.reserveCapacity(1 << 16)
    start(
      "svg",
      [
        ("xmlns", "http://www.w3.org/2000/svg"), ("width", number(width)),
        ("height", number(height)),
        ("viewBox", "0 \(number(top)) \(number(width)) \(number(height))"),
        ("role", isGroup ? "group" : "img"),
        ("aria-labelledby", "title summary"),
      ])
    element("title", [("id", "title")], words: title)
    element("desc", [("id", "summary")], words: summary)
  }

  /// An element without content, or with words in it.
  mutating func element(
    _ name: String, _ attributes: [(String, String)], words: String? = nil
  ) {
    write(name, attributes)
    if let words {
      text += ">"
      append(words)
      text += "</\(name)>\n"
    } else {
      text += "/>\n"
    }
  }

  /// An element around what `body` writes.
  mutating func group(
    _ name: String, _ attributes: [(String, String)] = [], _ body: (inout Markup) -> Void
  ) {
    start(name, attributes)
    body(&self)
    text += "</\(name)>\n"
  }

  /// Ends the document.
  consuming func finished() -> String {
    text + "</svg>\n"
  }

  private mutating func start(_ name: String, _ attributes: [(String, String)]) {
    write(name, attributes)
    text += ">\n"
  }

  private mutating func write(_ name: String, _ attributes: [(String, String)]) {
    text += "<\(name)"
    for (key, value) in attributes {
      text += " \(key)=\""
      append(value)
      text += "\""
    }
  }

  /// Appends words with what XML reserves escaped, and what XML forbids left out.
  private mutating func append(_ words: String) {
    for scalar in words.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\t", "\n", "\r": text += " "
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": break
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

/// A number to so many digits after the point, without trailing zeros; never `nan`, `inf` or
/// `1e+06`, which some readers of SVG refuse, and never a comma, whatever the locale.
///
/// - Parameter digits: 0 to 3. Two are enough for points.
func number(_ value: Double, digits: Int = 2) -> String {
  guard value.isFinite else { return "0" }
  let unit = [1, 10, 100, 1000][min(max(digits, 0), 3)]
  let whole = Int((min(max(value, -1e9), 1e9) * Double(unit)).rounded())
  var text = whole < 0 ? "-" : ""
  text += String(whole.magnitude / unit.magnitude)
  var rest = String(unit.magnitude + whole.magnitude % unit.magnitude).dropFirst()
  while rest.last == "0" { rest.removeLast() }
  return rest.isEmpty ? text : "\(text).\(rest)"
}

/// A part of a whole, from 0 to 1, as an opacity or an offset.
func part(_ value: Double) -> String {
  number(value, digits: 3)
}
