// SPDX-License-Identifier: Apache-2.0
// Prints settings as a configuration file that means the same.

import AtrestServer

/// All settings, each below what it does.
enum ConfigurationListing {
  /// Widest comment, in columns.
  private static let width = 96

  /// The text of a file.
  ///
  /// - Parameters:
  ///   - file: Its settings are assignments; others are comments with their standard value.
  ///   - options: Those that there are.
  static func text(_ file: ConfigurationFile?, of options: [CommandOption]) -> String {
    var lines: [String] = []
    for option in options where option.name != "limit" {
      lines += comment(option.abstract)
      let settings = (file?.settings ?? []).filter { $0.name == option.name }
      if settings.isEmpty {
        lines.append("# \(option.name) = \(standard(of: option))")
      }
      for setting in settings { lines.append("\(option.name) = \(value(of: setting, option))") }
      lines.append("")
    }
    lines.append("[limits]")
    lines += comment("`atrest-syncd limits` says what each one bounds.")
    let set = (file?.settings ?? []).filter { $0.name == "limit" }.flatMap(\.values)
    for limit in ServerLimits.table {
      let mine = set.first { $0.hasPrefix(limit.name + "=") }.map {
        String($0.dropFirst(limit.name.count + 1))
      }
      let text = mine ?? limit.text(limit.value(in: ServerLimits()))
      lines.append((mine == nil ? "# " : "") + "\(limit.name) = \(bare(text))")
    }
    return lines.joined(separator: "\n")
  }

  private static func standard(of option: CommandOption) -> String {
    if option.isFlag { return "false" }
    if option.isRepeating { return "[]" }
    return option.standard.map(bare) ?? "\"\""
  }

  private static func value(
    of setting: ConfigurationFile.Setting, _ option: CommandOption
  ) -> String {
    if option.isFlag { return setting.isOn ? "true" : "false" }
    if option.isRepeating {
      return "[" + setting.values.map(quoted).joined(separator: ", ") + "]"
    }
    return setting.values.first.map(bare) ?? "\"\""
  }

  /// Numbers stand without quotation marks.
  private static func bare(_ text: String) -> String {
    Int(text).map(String.init) == text ? text : quoted(text)
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\u{0}"..."\u{1F}", "\u{7F}":
        let code = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - code.count) + code
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func comment(_ text: String) -> [String] {
    var lines: [String] = []
    var line = "#"
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > width {
        lines.append(line)
        line = "#"
      }
      line += " " + word
    }
    return lines + [line]
  }
}
