// SPDX-License-Identifier: Apache-2.0
// What a person says about another app's file of separated values, by options or when asked.

import ArgumentParser
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestFoundation
import AtrestPortability
import AtrestReplication
import Foundation

/// The options of `atrest import` for files of separated values.
struct HistoryOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Rows: the column that says when a fast began.", valueName: "column"))
  var startColumn: String?
  @Option(help: ArgumentHelp("Rows: the column that says when it ended.", valueName: "column"))
  var endColumn: String?
  @Option(
    help: ArgumentHelp("Rows: the date, where the start has none.", valueName: "column"))
  var dateColumn: String?
  @Option(help: ArgumentHelp("Rows: how long it took, where it has no end.", valueName: "column"))
  var durationColumn: String?
  @Option(help: ArgumentHelp("Rows: how long it was meant to take.", valueName: "column"))
  var targetColumn: String?
  @Option(help: ArgumentHelp("Rows: dmy or mdy, for dates such as 4/5/2026.", valueName: "order"))
  var dateOrder: DateOrder?
  @Option(
    help: ArgumentHelp(
      "Rows: the zone of times without one, such as UTC or Europe/Berlin; otherwise this device's.",
      valueName: "name"))
  var zone: String?
  @Option(
    help: ArgumentHelp(
      "Rows: the target where there is none; otherwise your usual one, or 16h.",
      valueName: "duration"))
  var target: String?
  @Flag(help: "Rows: leave out fasts that share time with one that is here.")
  var skipOverlaps = false

  /// Whether any of them was given.
  var isGiven: Bool {
    let texts = [
      startColumn, endColumn, dateColumn, durationColumn, targetColumn, dateOrder?.rawValue, zone,
      target,
    ]
    return skipOverlaps || texts.contains { $0 != nil }
  }

  /// How to read a file: with what was said, and what was asked where it was not.
  ///
  /// - Parameter asks: Whether a person can be asked.
  func reading(
    of file: CSVFile, _ context: CommandContext, asks: Bool
  ) throws -> CSVFile.Reading {
    var reading = CSVFile.Reading(
      columns: try columns(of: file, asks: asks), order: dateOrder, zone: try offsets(context))
    _ = try typedTarget(target)
    do throws(CSVProblem) {
      _ = try file.history(reading, now: context.now)
    } catch {
      guard asks, case .ambiguousDates(let line) = error else { throw error }
      reading.order = try Self.askedOrder(line: line)
    }
    return reading
  }

  /// The target of fasts that have none in the file: the one that was said, or the person's usual
  /// one.
  func target(_ settings: Settings) throws(InputProblem) -> DefaultTarget {
    guard let minutes = try typedTarget(target) else {
      return DefaultTarget(minutes: settings.targetMinutes, isUsual: true)
    }
    return DefaultTarget(minutes: minutes, isUsual: false)
  }

  /// - Throws: `CSVProblem.ambiguousDates` for an answer that is none.
  private static func askedOrder(line: Int) throws(CSVProblem) -> DateOrder {
    Terminal.ask(HistoryWords.orderQuestion(line: line))
    switch readLine()?.lowercased().first {
    case "d", "t": return .dayFirst
    case "m": return .monthFirst
    default: throw .ambiguousDates(line: line)
    }
  }

  private func offsets(_ context: CommandContext) throws -> ZoneOffsets {
    guard let zone else { return context.zone }
    guard let found = TimeZone(identifier: zone) else {
      throw CommandFailure(
        "There is no time zone of that name. Say one such as `UTC` or `Europe/Berlin`.", .usage)
    }
    return ZoneOffsets(found)
  }

  /// The columns: those that were named, else those whose names are known.
  private func columns(of file: CSVFile, asks: Bool) throws -> CSVColumns {
    var columns = CSVColumns(header: file.header)
    let header = file.header
    if let name = startColumn { columns.start = try CSVColumns.index(of: name, in: header) }
    if let name = endColumn { columns.end = try CSVColumns.index(of: name, in: header) }
    if let name = dateColumn { columns.date = try CSVColumns.index(of: name, in: header) }
    if let name = durationColumn { columns.duration = try CSVColumns.index(of: name, in: header) }
    if let name = targetColumn { columns.target = try CSVColumns.index(of: name, in: header) }
    guard asks, columns.start == nil || (columns.end == nil && columns.duration == nil) else {
      return columns
    }
    Terminal.writeError(HistoryWords.columns(file))
    if columns.start == nil {
      columns.start = try asked(HistoryWords.startQuestion, file) ?? columns.date
    }
    if columns.end == nil, columns.duration == nil {
      columns.end = try asked(HistoryWords.endQuestion, file)
      if columns.end == nil { columns.duration = try asked(HistoryWords.durationQuestion, file) }
    }
    return columns
  }

  /// - Returns: The column; nil for an empty answer.
  private func asked(_ question: String, _ file: CSVFile) throws(CSVProblem) -> Int? {
    Terminal.ask(question)
    let answer = (readLine() ?? "").trimmingCharacters(in: .whitespaces)
    return answer.isEmpty ? nil : try CSVColumns.index(of: answer, in: file.header)
  }
}

/// The target of fasts that have none in their file.
struct DefaultTarget {
  let minutes: Int
  /// Whether it is the one of the person's settings.
  let isUsual: Bool
}

extension DateOrder: ExpressibleByArgument {}
