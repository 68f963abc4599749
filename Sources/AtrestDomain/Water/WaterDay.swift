// SPDX-License-Identifier: Apache-2.0
// How much was drunk on each day, as people count days where they are.

import Foundation

/// The water of one local day.
public struct WaterDay: Hashable, Sendable {
  /// The day, in the zone that was asked about.
  public let day: LocalDay
  /// How much was drunk on it, in millilitres.
  public let millilitres: Int
  /// The entries, oldest first.
  public let entries: [WaterEntry]

  /// Sorts entries into days, latest day first. Days without an entry are absent.
  ///
  /// - Complexity: O(n log n).
  public static func days(of entries: some Sequence<WaterEntry>, in zone: TimeZone) -> [WaterDay] {
    Dictionary(grouping: entries) { LocalDay($0.intake.at, in: zone) }
      .map { WaterDay(day: $0.key, entries: $0.value) }
      .sorted { $0.day > $1.day }
  }

  /// Millilitres drunk on the local day of `now`.
  public static func total(
    of entries: some Sequence<WaterEntry>, onDayOf now: Date, in zone: TimeZone
  ) -> Int {
    let today = LocalDay(now, in: zone)
    return entries.reduce(0) { sum, entry in
      LocalDay(entry.intake.at, in: zone) == today ? sum + entry.intake.millilitres : sum
    }
  }

  private init(day: LocalDay, entries: [WaterEntry]) {
    self.day = day
    self.entries = entries.sorted { a, b in
      a.intake.at == b.intake.at
        ? a.id.uuidString < b.id.uuidString : a.intake.at < b.intake.at
    }
    millilitres = entries.reduce(0) { $0 + $1.intake.millilitres }
  }
}

/// Writes amounts: `250 ml`, `1,250 ml`.
public enum AmountText {
  /// Millilitres, with a comma before each group of three digits.
  public static func text(millilitres: Int) -> String {
    grouped(max(0, millilitres)) + " ml"
  }

  static func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: place)
      place -= 3
    }
    return String(digits)
  }
}
