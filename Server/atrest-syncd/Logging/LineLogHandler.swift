// SPDX-License-Identifier: Apache-2.0
// Formats a log entry as a line: of text for people, or a JSON object for programs.

import AtrestCommandLine
import Foundation
import Logging

/// Writes log entries to standard error. Each line is a single write, so lines of several threads
/// do not mix.
struct LineLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  private let settings: LogSettings

  init(_ settings: LogSettings) { self.settings = settings }

  /// The level that all handlers share.
  var logLevel: Logger.Level {
    get { settings.level }
    set { settings.level = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    switch settings.format {
    case .text: printError(Self.timestamp() + " " + line(of: event) + "\n")
    case .json: printError(json(of: event, at: Self.timestamp()) + "\n")
    }
  }

  /// What an entry says, without its time. A name that somebody chose cannot write a line of its
  /// own, nor turn a terminal that shows the log.
  func line(of event: LogEvent) -> String {
    fields(of: event).reduce(
      "\(event.level) " + "\(event.message)".escapedForTerminal
    ) { line, field in
      line + " \(field.key)=" + Self.quoted(field.value)
    }
  }

  /// The entry as an object on one line: `time`, `level`, `message`, and `fields` with what is
  /// known besides, all of them strings.
  func json(of event: LogEvent, at time: String) -> String {
    struct Entry: Encodable {
      let time, level, message: String
      let fields: [String: String]?
    }
    let fields = Dictionary(uniqueKeysWithValues: fields(of: event))
    let entry = Entry(
      time: time, level: "\(event.level)", message: "\(event.message)".escapedForTerminal,
      fields: fields.isEmpty ? nil : fields.mapValues(\.escapedForTerminal))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(entry)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func fields(of event: LogEvent) -> [(key: String, value: String)] {
    metadata.merging(event.metadata ?? [:]) { _, new in new }
      .map { (key: $0.key, value: "\($0.value)") }.sorted { $0.key < $1.key }
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
