// SPDX-License-Identifier: Apache-2.0
// A month that is read from the replica, and as a page with months before and after it.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestPresentation
import Foundation

/// The calendar's months.
enum CalendarPage {
  /// A month with the fasts that the entitlement includes.
  static func grid(
    _ month: LocalMonth, _ options: ReplicaOptions, _ context: CommandContext
  ) throws -> MonthGrid {
    let entries = try options.openExisting().map { try $0.entries(in: month, context) } ?? []
    return MonthGrid(
      month: month, entries: entries, now: context.now, in: context.zone,
      firstWeekday: context.localeFormat.firstWeekday)
  }

  /// A page of a month. The arrows turn to the one before and the one after.
  static func view(
    _ options: ReplicaOptions, _ style: Style, _ month: LocalMonth
  ) throws -> PageView {
    var month = month
    let isUnicode = Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)
    func lines(_ size: ScreenSize) throws -> [String] {
      let columns = CalendarView.room(on: size)
      let text = CalendarView.text(
        try grid(month, options, .current()), style, columns: columns, isUnicode: isUnicode)
      let margin = String(repeating: " ", count: max(0, (columns - CalendarDrawing.width) / 2))
      return text.split(separator: "\n", omittingEmptySubsequences: false).map { margin + $0 }
    }
    return try PageView(
      style, turn: { months in month = months < 0 ? month.previous : month.next }, content: lines)
  }
}
