// SPDX-License-Identifier: Apache-2.0
// How a log entry becomes a line: time, level, message, key=value.

import AtrestDomain
import Foundation
import Logging

/// Writes entries to standard error, one line each, in one write, so that lines of several threads
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
    var line = Self.timestamp() + " \(event.level) " + Self.escaped("\(event.message)")
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      line += " \(key)=" + Self.quoted("\(value)")
    }
    line += "\n"
    printError(line)
  }

  /// UTC, to the millisecond: RFC 3339.
  private static func timestamp() -> String {
    Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
      + "Z"
  }

  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3D }
    guard !isPlain else { return text }
    return "\"" + escaped(text.replacingOccurrences(of: "\"", with: "'")) + "\""
  }

  /// A name that somebody chose must not be able to write a line of its own.
  private static func escaped(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.steersDisplay ? " " : Character($0) })
  }
}
