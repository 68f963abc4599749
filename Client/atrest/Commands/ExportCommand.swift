// SPDX-License-Identifier: Apache-2.0
// `atrest export`: writes this device's data to a file, as an archive or for the iOS app.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestPortability
import AtrestReplication
import Foundation

/// `atrest export [FILE]`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write everything into a file.",
    discussion: """
      The file is complete, readable, and says when you fasted and drank: keep it where only you \
      can look. `atrest import` reads it again. `--format ios` writes the completed fasts of 4 \
      hours and more as the iOS app does.

      EXAMPLES:
        atrest export backup.jsonl
        atrest export --format ios atrest-export.json
        atrest export --since 2026-01-01 - | gzip > this-year.jsonl.gz
      """)

  enum FileFormat: String, ExpressibleByArgument, CaseIterable {
    /// The native format.
    case atrest
    /// The iOS app's format.
    case ios
  }

  @Argument(
    help: "The file; `-`, or none, is standard output.", completion: .file())
  var file = "-"
  @Option(name: .customLong("format"), help: "atrest or ios.")
  var fileFormat = FileFormat.atrest
  @Option(help: ArgumentHelp("Only fasts and water since then.", valueName: "date"))
  var since: String?
  @Flag(help: "Also when and where each field was written, so that an import knows what is newer.")
  var stamps = false
  @Flag(help: "Replace the file if there is one.") var force = false
  @OptionGroup var options: ReplicaOptions
  @Flag(help: "Say what was written as JSON. Not with standard output.") var json = false

  func validate() throws {
    if stamps, fileFormat == .ios {
      throw ValidationError("The iOS app's format has no stamps. Leave `--stamps` out.")
    }
    if json, file == "-" {
      throw ValidationError("`--json` needs a file: standard output holds the export itself.")
    }
    if force, file == "-" { throw ValidationError("`--force` needs a file: name one.") }
  }

  func run() throws {
    let context = CommandContext.current()
    let since = try Self.day(since, context)
    guard let replica = try options.openExisting() else {
      throw CommandFailure(
        "There is nothing here to export yet. Check `--replica`, or write something first.")
    }
    let bytes: [UInt8]
    var counts: [RecordKind: Int] = [:]
    switch fileFormat {
    case .atrest:
      let words = Atrest.recordWords
      (bytes, counts) = try replica.export(
        stamps: stamps, since: since, inWords: { words.inWords($0) })
    case .ios:
      let (written, count) = try replica.exportForIOS(since: since)
      (bytes, counts) = (written, [.session: count])
    }
    guard file != "-" else {
      Terminal.write(bytes)
      return
    }
    let written = try ExportFile(file, replacing: force, hint: "say `--force`")
    try written.write(bytes)
    try written.finish()
    let row = ExportRow(file: file, format: fileFormat.rawValue, bytes: bytes.count, counts)
    Terminal.say(
      json ? try JSON.text(row) : ExportWords.done(counts, file: file))
  }

  /// Parses a date such as `2026-01-31` as the start of that local day, or any typed time.
  static func day(_ text: String?, _ context: CommandContext) throws -> WallTime? {
    guard let text else { return nil }
    let word = text.lowercased()
    guard word == "today" || word == "yesterday" || text.utf8.count == 10 else {
      return try context.time(text)
    }
    do {
      return try context.time(text + " 0:00")
    } catch InputProblem.skippedTime {
      // If clocks are set forward at midnight, the day starts at one.
      return try context.time(text + " 1:00")
    }
  }
}
