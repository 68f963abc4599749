// SPDX-License-Identifier: Apache-2.0
// `atrest import`: previews a file, asks, and imports it.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestFiles
import AtrestPortability
import AtrestSync
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring in an export, the files of the iOS app, or another app's fasts (CSV, JSON).",
    discussion: """
      Reads an export of this program, an export of the iOS app, the app's files \
      session-state.json and water-log.json, and rows (CSV) or JSON of fasts as other apps and \
      spreadsheets write them. First says what it would do, and asks.

      Of rows, it finds the columns by their names, asks where it cannot, or is told by options: \
      a column is its name or its number from 1. A row that cannot be is left out, and its line \
      is named.

      What is not here is added. What is here and different stays, unless the file says by its \
      stamps that it is newer; `--prefer-file` takes the file's, and brings back what was \
      deleted here. No record of yours is deleted, and the same file twice changes nothing.

      A device of an account syncs first, so that what was deleted elsewhere stays deleted. If it \
      cannot, it says so before it asks.

      EXAMPLES:
        atrest import atrest-export.json
        atrest import backup.jsonl --dry-run
        atrest import session-state.json --yes --json
        atrest import history.csv --date-order dmy
        atrest import history.csv --start-column 2 --duration-column Hours --zone UTC
        unzip -p export.zip | atrest import - --yes
      """)

  @Argument(help: "The file; `-` is standard input.", completion: .file()) var file: String
  @Flag(name: .shortAndLong, help: "Do it without being asked.") var yes = false
  @Flag(help: "Only say what would be done.") var dryRun = false
  @Flag(help: "Where the file and this device differ, take the file's.") var preferFile = false
  @OptionGroup var rows: HistoryOptions
  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  func validate() throws {
    if format.isJSON, !yes, !dryRun {
      throw ValidationError("With `--json` say `--yes` to bring it in, or `--dry-run` to look.")
    }
  }

  func run() async throws {
    let context = CommandContext.current()
    let source = try source(context)
    let footing = try await footing()
    let (file, remarks) = try source.file(rows, options, now: context.now)
    let preview = try Self.preview(file, preferFile: preferFile, options, context)
    if !format.isJSON {
      Terminal.say(ImportWords.preview(preview, remarks: remarks.words, footing, context))
    } else if footing == .behind {
      Terminal.writeError(ImportWords.behind)
    }
    guard preview.changesAnything, !dryRun else {
      if format.isJSON {
        Terminal.say(try JSON.text(ImportRow(preview, skipped: remarks.skipped, isDone: !dryRun)))
      }
      guard !remarks.isFruitless else {
        throw CommandFailure(
          Language.text(
            "No row of the file could be read as a fast.",
            de: "Keine Zeile der Datei ließ sich als Fasten lesen."), .data)
      }
      return
    }
    guard yes || Terminal.asks(ImportWords.question(footing)) else {
      throw CommandFailure(
        Terminal.canAsk
          ? Language.text("Nothing was brought in.", de: "Nichts wurde hereingeholt.")
          : Language.text(
            "Nothing was brought in: nobody is there to be asked. Say `--yes` to do it.",
            de:
              "Nichts wurde hereingeholt: Niemand ist da, der gefragt werden kann. Sag `--yes`, um es zu tun."
          ),
        Terminal.canAsk ? .data : .usage)
    }
    let report = try options.open().import(file, preferFile: preferFile)
    try format.answer(
      ImportRow(report, skipped: remarks.skipped, isDone: true), ImportWords.done(report, footing))
  }

  /// Reads what the file is, and asks what must be asked of it.
  private func source(_ context: CommandContext) throws -> ImportSource {
    let bytes = try Self.read(file)
    if let kind = FileKind(bytes) { throw PortabilityError.other(kind) }
    let isJSON = CSVFile.looksLikeJSON(bytes) || bytes.isEmpty
    guard let table = isJSON ? try CSVFile(json: bytes) : try CSVFile(bytes) else {
      guard !rows.isGiven else {
        throw CommandFailure(
          Language.text(
            "The file has no columns: leave their options out.",
            de: "Die Datei hat keine Spalten: Lass deren Optionen weg."), .usage)
      }
      return .export(try Portability.parse(bytes))
    }
    let asks = Terminal.canAsk && !format.isJSON
    return .rows(table, try rows.reading(of: table, context, asks: asks))
  }

  /// Syncs first if the device is paired. Otherwise records that another device deleted or edited
  /// would look new in the file.
  private func footing() async throws -> ImportFooting {
    guard let replica = try options.openExisting(), try replica.status().isPaired else {
      return .alone
    }
    // A dry run changes nothing, so it does not sync.
    if dryRun { return .looking }
    Terminal.progress(Language.text("Syncing first…", de: "Erst wird abgeglichen…"))
    defer { Terminal.progress("") }
    do {
      _ = try await replica.sync()
      return .upToDate
    } catch SyncError.Code.massDeletion {
      // Everything else was exchanged.
      return .upToDate
    } catch {
      return .behind
    }
  }

  /// Reads the file at a typed path, or standard input.
  private static func read(_ path: String) throws -> [UInt8] {
    do throws(SmallFileProblem) {
      return try InputFile.read(path, limitBytes: Portability.Limits.fileBytes)
    } catch .tooLong {
      throw PortabilityError.tooLarge(limitBytes: Portability.Limits.fileBytes)
    } catch {
      let name = path.escapedForTerminal
      throw CommandFailure(
        path == "-"
          ? Language.text(
            "Standard input cannot be read. Name a file, or send one through a pipe.",
            de:
              "Die Standardeingabe ist nicht zu lesen. Nenne eine Datei, oder schicke eine durch eine Pipe."
          )
          : Language.text(
            "\(name) cannot be read. Check the name, and whether you may read it.",
            de: "\(name) ist nicht zu lesen. Prüfe den Namen, und ob du es lesen darfst."))
    }
  }

  /// What the import would do. Does not create a replica.
  private static func preview(
    _ file: ImportFile, preferFile: Bool, _ options: ReplicaOptions, _ context: CommandContext
  ) throws -> ImportReport {
    if let replica = try options.openExisting() {
      return try replica.preview(file, preferFile: preferFile)
    }
    try file.check(now: context.now)
    return ImportPlan(file, now: context.now, stored: { _ in nil }, sessions: { [] }).report
  }
}

/// What was read, before it is compared with what is here.
private enum ImportSource {
  /// A file of ours or of the iOS app.
  case export(ImportFile)
  /// Another app's rows, and how to read them.
  case rows(CSVFile, CSVFile.Reading)

  /// What is to be said of rows beside what an import says.
  struct Remarks {
    var words: String?
    var skipped: [SkippedRow]?
    /// Whether no row could be taken.
    var isFruitless = false
  }

  /// The file to import, and remarks about its rows.
  func file(
    _ said: HistoryOptions, _ options: ReplicaOptions, now: WallTime
  ) throws -> (ImportFile, Remarks) {
    switch self {
    case .export(let file): return (file, Remarks())
    case .rows(let table, var reading):
      let replica = try options.openExisting()
      let choices = try replica?.look { try Choices($0) } ?? .none
      let target = try said.target(choices.settings)
      reading.targetMinutes = target.minutes
      var history = try table.history(reading, now: now)
      let isFruitless = history.fasts.isEmpty && !history.skipped.isEmpty
      var overlapping = history.numbers(overlapping: try replica?.sessions() ?? [])
      if said.skipOverlaps {
        history = history.without(overlapping)
        overlapping = []
      }
      let words = HistoryWords.preview(
        history, reading.columns, header: table.header, overlapping: overlapping, target)
      let skipped = history.skipped.map { SkippedRow($0, in: history) }
      let remarks = Remarks(words: words, skipped: skipped, isFruitless: isFruitless)
      return (try history.importFile(), remarks)
    }
  }
}
