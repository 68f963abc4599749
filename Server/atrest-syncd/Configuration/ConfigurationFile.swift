// SPDX-License-Identifier: Apache-2.0
// A file of settings: which one counts, and which arguments its settings stand for.

import AtrestCommandLine
import AtrestFiles
import AtrestServer

/// Settings in the place of flags. Each key is the name of a flag; the table `[limits]` holds what
/// `--limit` takes. A flag on the command line wins over its key.
struct ConfigurationFile {
  /// The file that counts where nobody names another one.
  static let standardPath = "/etc/atrest-syncd.toml"

  /// Maximum size in bytes.
  private static let limitBytes = 64 * 1024

  /// One key with its values, written as a command line has them.
  struct Setting: Equatable {
    /// The option's long name.
    let name: String
    /// Empty: a flag that is set.
    let values: [String]
    /// From 1.
    let line: Int
    /// False: a flag that is written down as `false`.
    var isOn = true

    /// The arguments that it stands for.
    var arguments: [String] {
      guard isOn else { return [] }
      return values.isEmpty ? ["--\(name)"] : values.flatMap { ["--\(name)", $0] }
    }
  }

  let path: String
  let settings: [Setting]
  /// What its keys may name.
  private let known: [CommandOption]

  /// Reads a file.
  ///
  /// - Parameter options: Those that its keys may name.
  /// - Throws: `CommandFailure` that names the line.
  init(_ path: String, options: [CommandOption]) throws {
    let bytes: [UInt8]
    do throws(SmallFileProblem) {
      bytes = try SmallFile.read(path, limitBytes: Self.limitBytes, isTrusted: true)
    } catch {
      throw CommandFailure(
        "The configuration \(path.escapedForTerminal) cannot be read: \(error.reason). Name another file with --config.",
        error.isPermission ? .notPermitted : .data)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure("The configuration \(path.escapedForTerminal) is no text in UTF-8.")
    }
    try self.init(path, text: text, options: options)
  }

  /// Parses a file's text.
  init(_ path: String, text: String, options: [CommandOption]) throws {
    self.path = path
    known = options
    do throws(TOMLProblem) {
      let file = try TOMLFile(text)
      var settings: [Setting] = []
      for assignment in file.assignments {
        settings.append(try Self.setting(assignment, options))
      }
      self.settings = settings
    } catch {
      throw CommandFailure(
        "\(path.escapedForTerminal), line \(error.line): \(error.sentence.escapedForTerminal)",
        .data
      )
    }
  }

  /// The arguments of the settings that a command knows, except what its command line says itself.
  /// An option that only has the name of a setting is another one: `audit --limit`.
  func arguments(for options: [CommandOption], besides commandLine: [String]) -> [String] {
    let said = Set(
      commandLine.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { argument in
        String(argument.dropFirst(2).prefix { $0 != "=" })
      })
    let names = Set(options.filter(known.contains).map(\.name)).subtracting(said)
    return settings.filter { names.contains($0.name) }.flatMap(\.arguments)
  }

  private static func setting(
    _ assignment: TOMLFile.Assignment, _ options: [CommandOption]
  ) throws(TOMLProblem) -> Setting {
    let (key, line) = (assignment.key, assignment.line)
    func problem(_ reason: String) -> TOMLProblem { TOMLProblem(line: line, reason: reason) }
    switch assignment.table {
    case "": break
    case "limits":
      guard let value = text(assignment.value) else {
        throw problem("\(key) is a number, or a text such as \"64KiB\"")
      }
      var limits = ServerLimits()
      do throws(LimitError) { try limits.set("\(key)=\(value)") } catch {
        throw problem(error.userMessage)
      }
      return Setting(name: "limit", values: ["\(key)=\(value)"], line: line)
    default:
      throw problem("there is no table [\(assignment.table)], only [limits]")
    }
    guard let option = options.first(where: { $0.name == key }), key != "limit" else {
      let similar = options.map(\.name).filter { $0 != "limit" }.min {
        $0.distance(to: key) < $1.distance(to: key)
      }
      let hint = similar.flatMap { $0.distance(to: key) <= 3 ? "; is \($0) meant?" : nil }
      throw problem(
        key == "limit"
          ? "limits stand in a table of their own, [limits]"
          : "there is no setting \(key)\(hint ?? ". `atrest-syncd config show` lists all")")
    }
    if option.isFlag {
      guard case .boolean(let isOn) = assignment.value else {
        throw problem("\(key) is true or false")
      }
      return Setting(name: key, values: [], line: line, isOn: isOn)
    }
    if option.isRepeating, case .array(let list) = assignment.value {
      let values = list.compactMap(text)
      guard values.count == list.count else { throw problem("\(key) is a list of texts") }
      return Setting(name: key, values: values, line: line, isOn: !values.isEmpty)
    }
    guard let value = text(assignment.value) else {
      throw problem("\(key) is a \(option.isRepeating ? "text, or a list of texts" : "text")")
    }
    return Setting(name: key, values: [value], line: line)
  }

  private static func text(_ value: TOMLFile.Value) -> String? {
    switch value {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .boolean, .array: nil
    }
  }
}

extension SmallFileProblem {
  fileprivate var isPermission: Bool {
    if case .system(let code) = self { return code == 13 || code == 1 }
    return false
  }
}

extension String {
  /// How many characters to insert, remove or replace until it is the other one (Levenshtein).
  /// Costs the product of both lengths; keys are short.
  fileprivate func distance(to other: String) -> Int {
    let other = Array(other.prefix(64).utf8)
    var row = Array(0...other.count)
    for (index, letter) in prefix(64).utf8.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in other.indices {
        let replaced = diagonal + (letter == other[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[other.count]
  }
}
