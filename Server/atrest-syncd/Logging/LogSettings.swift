// SPDX-License-Identifier: Apache-2.0
// How much is logged and in what form, which may change while the server runs.

import ArgumentParser
import Logging
import Synchronization

/// The form of log entries.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// A line for people: time, level, message, key=value.
  case text
  /// An object to a line, for programs.
  case json
}

/// The settings that all loggers of the process share.
final class LogSettings: Sendable {
  private struct State {
    var level: Logger.Level
    var format: LogFormat
  }

  private let state: Mutex<State>

  init(level: Logger.Level, format: LogFormat) {
    state = Mutex(State(level: level, format: format))
  }

  var level: Logger.Level {
    get { state.withLock { $0.level } }
    set { state.withLock { $0.level = newValue } }
  }

  var format: LogFormat {
    get { state.withLock { $0.format } }
    set { state.withLock { $0.format = newValue } }
  }
}

/// The options about the log.
struct LogOptions: ParsableArguments {
  @Option(
    name: .customLong("log-level"),
    help: ArgumentHelp(
      "trace, debug (a line for each call), info, notice, warning, error or critical.",
      valueName: "level"),
    transform: Self.level)
  var level: Logger.Level = .info

  @Option(
    name: .customLong("log-format"),
    help: ArgumentHelp("text, or json: an object to a line.", valueName: "format"))
  var format: LogFormat = .text

  private static func level(_ name: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: name) else {
      let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("“\(name.prefix(40))” is no log level. There are \(levels).")
    }
    return level
  }
}
