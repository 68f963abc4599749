// SPDX-License-Identifier: Apache-2.0
// Sums water by local day.

import AtrestReplication

/// The water of one local day.
public struct WaterDay: Hashable, Sendable {
  /// The local day in the requested zone.
  public let day: LocalDay
  /// The day's total in millilitres.
  public let millilitres: Int
  /// The entries, oldest first.
  public let entries: [WaterEntry]

  /// Groups entries by day, latest day first. Days without entries are absent.
  ///
  /// - Complexity: O(n log n).
  public static func days(of entries: some Sequence<WaterEntry>, in zone: ZoneOffsets) -> [WaterDay]
  {
    Dictionary(grouping: entries) { LocalDay($0.intake.at, in: zone) }
      .map { WaterDay(day: $0.key, entries: $0.value) }
      .sorted { $0.day > $1.day }
  }

  /// The total of the local day of `now`, in millilitres.
  public static func total(
    of entries: some Sequence<WaterEntry>, onDayOf now: WallTime, in zone: ZoneOffsets
  ) -> Int {
    let today = LocalDay(now, in: zone)
    return sum(of: entries.lazy.filter { LocalDay($0.intake.at, in: zone) == today })
  }

  private init(day: LocalDay, entries: [WaterEntry]) {
    self.day = day
    self.entries = entries.sorted { a, b in
      a.intake.at == b.intake.at ? a.id < b.id : a.intake.at < b.intake.at
    }
    millilitres = Self.sum(of: entries)
  }

  /// The sum in millilitres. So many entries that it exceeds 32 bits are no reason to trap.
  private static func sum(of entries: some Sequence<WaterEntry>) -> Int {
    Int(clamping: entries.reduce(Int64(0)) { $0 + Int64($1.intake.millilitres) })
  }
}

/// Formats amounts: `250 ml`, `1250 ml`.
///
/// Without separators of thousands: `1,250` is one and a quarter to some people, so `Typed` does
/// not accept it, and what is shown can be typed.
public enum AmountText {
  /// An amount in millilitres.
  public static func text(millilitres: Int) -> String {
    "\(max(0, millilitres)) ml"
  }
}
