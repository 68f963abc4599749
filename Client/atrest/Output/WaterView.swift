// SPDX-License-Identifier: Apache-2.0
// Output of water.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import Foundation

/// One entry, for `--json`.
struct WaterRow: Encodable, Equatable {
  var id: String
  var at: WallTime
  var day: String
  var millilitres: Int

  init(_ entry: WaterEntry, in zone: ZoneOffsets) {
    id = entry.id.uuidString.lowercased()
    at = entry.intake.at
    day = LocalDay(entry.intake.at, in: zone).iso
    millilitres = entry.intake.millilitres
  }
}

/// A day's water, for `--json`.
struct WaterDayRow: Encodable, Equatable {
  var day: String
  var millilitres: Int
  var entries: [WaterRow]

  /// - Parameter day: nil if there was no drink today.
  init(_ day: WaterDay?, _ context: CommandContext) {
    self.day = (day?.day ?? LocalDay(context.now, in: context.zone)).iso
    millilitres = day?.millilitres ?? 0
    entries = day?.entries.map { WaterRow($0, in: context.zone) } ?? []
  }
}

/// Texts about water.
enum WaterWords {
  /// Days with their entries, latest day first.
  static func list(
    _ days: [WaterDay], ids: [String: String], _ context: CommandContext, _ style: Style
  ) -> String {
    days.map { day in
      let title = "\(name(of: day.day, context))  \(context.amount(day.millilitres))"
      let lines = day.entries.map { entry in
        let hex = ShortID.hex(entry.id)
        let clock = context.clock(entry.intake.at)
        return "  \(ids[hex] ?? hex)  \(clock)  "
          + context.amount(entry.intake.millilitres)
      }
      return ([style.strong(title)] + lines).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private static func name(of day: LocalDay, _ context: CommandContext) -> String {
    switch day.number - LocalDay(context.now, in: context.zone).number {
    case 0: "Today"
    case -1: "Yesterday"
    default: TimeText.day(day)
    }
  }
}
