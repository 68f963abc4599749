// SPDX-License-Identifier: Apache-2.0
// Reads the part of TOML 1.0 that settings need: tables, strings, integers, booleans, arrays.

/// A parsed file: its assignments in the order of their lines.
///
/// What this part leaves out (fractions, dates, nested tables and multi-line strings) is refused by
/// name, so that nothing is read in another way than TOML means it.
struct TOMLFile: Equatable {
  /// A value, as written.
  enum Value: Equatable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
    case array([Value])
  }

  /// A key with its value.
  struct Assignment: Equatable {
    /// The table it is in. Empty for keys before the first table.
    let table: String
    let key: String
    let value: Value
    /// The line of the key, from 1.
    let line: Int
  }

  let assignments: [Assignment]

  /// Parses a file.
  /// - Throws: `TOMLProblem` with the line of the first mistake.
  init(_ text: String) throws(TOMLProblem) {
    var parser = TOMLParser(text)
    assignments = try parser.file()
  }
}

/// Why a file cannot be read.
struct TOMLProblem: Error, Equatable {
  /// From 1.
  let line: Int
  /// A clause: `a string lacks its closing quotation mark`. It may end like a sentence.
  let reason: String

  /// The reason with a full stop.
  var sentence: String {
    reason.hasSuffix("?") || reason.hasSuffix(".") ? reason : reason + "."
  }
}

/// A recursive descent over the file's characters.
private struct TOMLParser {
  private var rest: Substring.UnicodeScalarView
  private var line = 1

  init(_ text: String) { rest = Substring(text).unicodeScalars }

  mutating func file() throws(TOMLProblem) -> [TOMLFile.Assignment] {
    var found: [TOMLFile.Assignment] = []
    var tables: Set<String> = []
    var table = ""
    while skipBlankLines() {
      if take("[") {
        guard !take("[") else { throw problem("a list of tables has no meaning here") }
        skipSpaces()
        table = try key()
        guard tables.insert(table).inserted else { throw problem("[\(table)] begins twice") }
        skipSpaces()
        guard take("]") else { throw problem("a table's name lacks its closing bracket") }
      } else {
        let assignment = try assignment(in: table)
        if let first = found.first(where: { $0.table == table && $0.key == assignment.key }) {
          throw problem("\(assignment.key) has a value already, in line \(first.line)")
        }
        found.append(assignment)
      }
      try endLine()
    }
    return found
  }

  private mutating func assignment(in table: String) throws(TOMLProblem) -> TOMLFile.Assignment {
    let start = line
    let key = try key()
    skipSpaces()
    guard take("=") else { throw problem("after \(key) an equals sign is missing") }
    skipSpaces()
    return TOMLFile.Assignment(table: table, key: key, value: try value(depth: 0), line: start)
  }

  private mutating func key() throws(TOMLProblem) -> String {
    let key = takeWhile { Self.isBare($0) }
    guard !key.isEmpty else {
      throw problem("a line is a comment, [table], or key = value; keys stand without marks")
    }
    guard rest.first != "." else { throw problem("keys with dots have no meaning here") }
    return key
  }

  private mutating func value(depth: Int) throws(TOMLProblem) -> TOMLFile.Value {
    switch rest.first {
    case "\"": return .string(try quoted("\"", escapes: true))
    case "'": return .string(try quoted("'", escapes: false))
    case "[": return .array(try array(depth: depth))
    case "{": throw problem("tables in braces have no meaning here")
    default: return try word()
    }
  }

  private mutating func word() throws(TOMLProblem) -> TOMLFile.Value {
    let word = takeWhile { Self.isBare($0) || $0 == "+" || $0 == "." || $0 == ":" }
    switch word {
    case "": throw problem("a value is missing")
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: break
    }
    if let number = Self.integer(word) { return .integer(number) }
    throw problem("\(word.prefix(40)) is no whole number; texts stand between quotation marks")
  }

  /// A decimal integer: no leading zeros, and underscores between digits only.
  private static func integer(_ word: String) -> Int? {
    let digits = word.hasPrefix("+") || word.hasPrefix("-") ? word.dropFirst() : word[...]
    let groups = digits.split(separator: "_", omittingEmptySubsequences: false)
    guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } }),
      digits == "0" || !digits.hasPrefix("0")
    else { return nil }
    return Int(word.filter { $0 != "_" })
  }

  private mutating func array(depth: Int) throws(TOMLProblem) -> [TOMLFile.Value] {
    guard depth == 0 else { throw problem("lists of lists have no meaning here") }
    _ = take("[")
    var values: [TOMLFile.Value] = []
    while true {
      _ = skipBlankLines()
      if take("]") { return values }
      guard !rest.isEmpty else { throw problem("a list lacks its closing bracket") }
      values.append(try value(depth: depth + 1))
      guard skipBlankLines() else { throw problem("a list lacks its closing bracket") }
      guard take(",") || rest.first == "]" else {
        throw problem("between a list's values a comma is missing")
      }
    }
  }

  private mutating func quoted(
    _ mark: Unicode.Scalar, escapes: Bool
  ) throws(TOMLProblem) -> String {
    _ = take(mark)
    guard !(rest.first == mark && rest.dropFirst().first == mark) else {
      throw problem("strings of several lines have no meaning here")
    }
    var text = String.UnicodeScalarView()
    while let next = rest.popFirst() {
      switch next {
      case mark: return String(text)
      case "\\" where escapes: text.append(try escape())
      case "\n", "\r": throw problem("a string lacks its closing quotation mark")
      case "\t": text.append(next)
      case "\u{0}"..."\u{1F}", "\u{7F}": throw problem("a string holds a control character")
      default: text.append(next)
      }
    }
    throw problem("a string lacks its closing quotation mark")
  }

  private mutating func escape() throws(TOMLProblem) -> Unicode.Scalar {
    let letter = rest.popFirst()
    switch letter {
    case "\"", "\\": return letter ?? "\\"
    case "b": return "\u{8}"
    case "t": return "\t"
    case "n": return "\n"
    case "f": return "\u{C}"
    case "r": return "\r"
    case "u", "U":
      let digits = String(String.UnicodeScalarView(rest.prefix(letter == "u" ? 4 : 8)))
      if digits.unicodeScalars.count == (letter == "u" ? 4 : 8),
        digits.allSatisfy({ $0.isHexDigit && $0.isASCII }), let code = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(code), code != 0
      {
        rest.removeFirst(digits.unicodeScalars.count)
        return scalar
      }
    default: break
    }
    throw problem("a backslash stands before \" \\ b t n f r u or U only")
  }

  // MARK: Characters

  /// Skips blank lines, comments and leading spaces. False at the end of the file.
  private mutating func skipBlankLines() -> Bool {
    while let next = rest.first {
      switch next {
      case " ", "\t", "\r": rest.removeFirst()
      case "\n":
        line += 1
        rest.removeFirst()
      case "#": skipComment()
      default: return true
      }
    }
    return false
  }

  private mutating func endLine() throws(TOMLProblem) {
    skipSpaces()
    if rest.first == "#" { skipComment() }
    if rest.first == "\r" { rest.removeFirst() }
    guard rest.isEmpty || rest.first == "\n" else {
      throw problem("something follows where the line should end")
    }
  }

  private mutating func skipComment() { _ = takeWhile { $0 != "\n" } }

  private mutating func skipSpaces() { _ = takeWhile { $0 == " " || $0 == "\t" } }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func takeWhile(_ belongs: (Unicode.Scalar) -> Bool) -> String {
    let part = rest.prefix(while: belongs)
    rest = rest[part.endIndex...]
    return String(String.UnicodeScalarView(part))
  }

  private static func isBare(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private func problem(_ reason: String) -> TOMLProblem { TOMLProblem(line: line, reason: reason) }
}
