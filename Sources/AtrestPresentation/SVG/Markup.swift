// SPDX-License-Identifier: Apache-2.0
// Writes SVG elements, attributes and numbers, deterministically.

/// An SVG document under construction. Whatever words and attributes it is given, they stay words
/// and attributes.
public struct Markup {
  /// The text so far.
  public private(set) var text = ""

  /// Starts the document: no scripts, no external references, one image with a title.
  ///
  /// - Parameters:
  ///   - title: The title for screen readers.
  ///   - summary: The description.
  ///   - width: The picture's width in points.
  ///   - height: Its height in points.
  ///   - top: The picture's top on the canvas.
  ///   - isGroup: Whether its parts have titles for screen readers to visit.
  public init(
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

  /// Writes an element, empty or with text.
  public mutating func element(
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

  /// Writes an element around the output of `body`.
  public mutating func group(
    _ name: String, _ attributes: [(String, String)] = [], _ body: (inout Markup) -> Void
  ) {
    start(name, attributes)
    body(&self)
    text += "</\(name)>\n"
  }

  /// Closes the document.
  public consuming func finished() -> String {
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

  /// Appends text with XML's reserved characters escaped and its forbidden ones dropped.
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

extension Markup {
  /// Formats a number with fixed precision and no trailing zeros. Never writes `nan`, `inf` or
  /// `1e+06`, which some SVG readers reject, nor a locale's comma.
  ///
  /// - Parameter digits: 0 to 3. Two suffice for points.
  public static func decimal(_ value: Double, digits: Int = 2) -> String {
    guard value.isFinite else { return "0" }
    let unit: Int64 = [1, 10, 100, 1000][min(max(digits, 0), 3)]
    let whole = Int64((min(max(value, -1e9), 1e9) * Double(unit)).rounded())
    var text = whole < 0 ? "-" : ""
    text += String(whole.magnitude / unit.magnitude)
    var rest = String(unit.magnitude + whole.magnitude % unit.magnitude).dropFirst()
    while rest.last == "0" { rest.removeLast() }
    return rest.isEmpty ? text : "\(text).\(rest)"
  }
}

/// A number of points.
func number(_ value: Double) -> String {
  Markup.decimal(value)
}

/// A fraction from 0 to 1, as an opacity or an offset.
func part(_ value: Double) -> String {
  Markup.decimal(value, digits: 3)
}
