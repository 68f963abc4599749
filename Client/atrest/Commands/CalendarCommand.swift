// SPDX-License-Identifier: Apache-2.0
// `atrest calendar` and `atrest history`: the ended fasts.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestPresentation
import AtrestReplication
import Foundation

/// `atrest calendar [MONTH]`.
struct CalendarCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar", abstract: "A month, with a dot for each fast that is over.",
    discussion: """
      A dot has the tone of its tree. A fast that ended before its target has a grey ring.

      EXAMPLES:
        atrest calendar
        atrest calendar last
        atrest calendar 2026-11 --json
        atrest calendar --svg november.svg --size 1440x900
      """)

  @Argument(help: "2026-11, november, nov 2026, this or last; otherwise this month.")
  var month: [String] = []
  @Option(
    help: ArgumentHelp("Write a picture there; - is standard output.", valueName: "file"),
    completion: .file())
  var svg: String?
  @Option(help: ArgumentHelp("How large the picture is; otherwise 390x844.", valueName: "points"))
  var size: String?
  @Flag(help: "Replace the file if there is one.") var force = false
  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  func validate() throws {
    try PictureFile.check(svg: svg, size: size, replacing: force)
  }

  func run() throws {
    let context = CommandContext.current()
    let month =
      month.isEmpty
      ? LocalMonth(context.now, in: context.zone)
      : try Typed.month(month.joined(separator: " "), now: context.now, in: context.zone)
    let grid = try CalendarPage.grid(month, options, context)
    if let svg {
      let (width, height) = size.flatMap(PictureFile.size) ?? (390, 844)
      try PictureFile.write(
        CalendarPicture.svg(grid, in: context.zone, width: width, height: height), to: svg,
        replacing: force, format, CalendarRow(grid))
      return
    }
    try format.answer(
      CalendarRow(grid),
      CalendarView.text(
        grid, Terminal.colourStyle,
        columns: Terminal.isRead ? CalendarView.room(on: .current()) : CalendarDrawing.width,
        isUnicode: Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)))
  }
}

/// `atrest history`.
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "The fasts that are over, newest first.",
    discussion: """
      EXAMPLES:
        atrest history
        atrest history --limit 50 --json
      """)

  @Option(help: ArgumentHelp("At most so many.", valueName: "count")) var limit = 10
  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  func validate() throws {
    guard (1...1_000_000).contains(limit) else {
      throw ValidationError("`--limit` needs a number from 1 to 1000000.")
    }
  }

  func run() throws {
    let context = CommandContext.current()
    let replica = try options.openExisting()
    let entries = try replica?.entries(newest: limit) ?? []
    let all = try entries.count < limit ? entries.count : replica?.entryCount() ?? 0
    try format.answer(
      entries.map(HistoryRow.init),
      entries.isEmpty
        ? Word.calendarEmpty.text
        : CalendarView.list(entries, context).text(Terminal.style)
          + (all > entries.count ? "\n" + note(entries.count, of: all) : ""))
  }

  private func note(_ shown: Int, of all: Int) -> String {
    let more = all - shown
    return Terminal.style.quiet(
      Language.text(
        "\(more) more: `--limit \(all)` shows them all.",
        de: "\(more) weitere: `--limit \(all)` zeigt sie alle."))
  }
}

extension Replica {
  /// The account's current entitlement.
  func entitlement() throws -> Entitlement {
    RememberedEntitlement.current(of: self, try status())
  }

  /// The newest entries that the entitlement includes.
  func entries(newest limit: Int) throws -> [CalendarEntry] {
    let entitlement = try entitlement()
    let bound =
      FeatureGate.wholeHistory.isOpen(for: entitlement)
      ? limit : min(limit, CalendarPolicy.freeEntries)
    return CalendarPolicy.entries(
      of: try look { try $0.history(limit: bound) }, for: entitlement)
  }

  /// The number of entries that the entitlement includes.
  func entryCount() throws -> Int {
    let entitlement = try entitlement()
    let count = try look { try $0.historyCount() }
    return FeatureGate.wholeHistory.isOpen(for: entitlement)
      ? count : min(count, CalendarPolicy.freeEntries)
  }

  /// The entries around a month that the entitlement includes.
  func entries(in month: LocalMonth, _ context: CommandContext) throws -> [CalendarEntry] {
    let entitlement = try entitlement()
    guard FeatureGate.wholeHistory.isOpen(for: entitlement) else {
      return try entries(newest: CalendarPolicy.freeEntries)
    }
    // Wide enough for every zone; the grid selects by day.
    let day = Milliseconds.perDay
    let first = WallTime(milliseconds: Int64(month.firstDay.number) * day)
    let sessions = try look {
      try $0.history(
        from: first.advanced(by: -2 * day),
        before: first.advanced(by: Int64(month.dayCount + 2) * day))
    }
    return CalendarPolicy.entries(of: sessions, for: entitlement)
  }
}
