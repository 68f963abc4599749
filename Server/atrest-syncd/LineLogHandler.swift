// SPDX-License-Identifier: Apache-2.0
// Formats a log entry as a line: time, level, message, key=value.

import AtrestCommandLine
import Foundation
import Logging

/// Writes log entries to standard error. Each line is a single write, so lines of several threads
/// do not mix.
struct LineLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  init(logLevel: Logger.Level) {
    self.logLevel = logLevel
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    printError(Self.timestamp() + " " + line(of: event) + "\n")
  }

  /// What an entry says, without its time. A name that somebody chose cannot write a line of its
  /// own, nor turn a terminal that shows the log.
  func line(of event: LogEvent) -> String {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    return all.sorted { $0.key < $1.key }.reduce(
      "\(event.level) " + "\(event.message)".escapedForTerminal
    ) { line, field in
      line + " \(field.key)=" + Self.quoted("\(field.value)")
    }
  }

  /// RFC 3339 in UTC with milliseconds.
  private static func timestamp() -> String {
    Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
      + "Z"
  }

  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3D }
    guard !isPlain else { return text }
    return "\"" + text.replacingOccurrences(of: "\"", with: "'").escapedForTerminal + "\""
  }
}
