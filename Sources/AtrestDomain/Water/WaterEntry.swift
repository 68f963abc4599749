// SPDX-License-Identifier: Apache-2.0
// A drink: when, and how much.

import AtrestReplication

/// One drink.
public struct WaterEntry: Hashable, Identifiable, Sendable {
  /// Time and amount, edited and merged as one.
  public struct Intake: Hashable, Sendable {
    /// When it was drunk.
    public let at: WallTime
    /// The amount in millilitres, within `millilitreRange`.
    public let millilitres: Int

    /// Creates an intake; nil if the amount is out of range.
    public init?(at: WallTime, millilitres: Int) {
      guard WaterEntry.millilitreRange.contains(millilitres) else { return nil }
      self.at = at
      self.millilitres = millilitres
    }
  }

  /// Chosen when the entry is created.
  public let id: RecordUUID
  /// The time and the amount.
  public var intake: Intake

  /// The storable amounts in millilitres. Typed input has a narrower range.
  public static let millilitreRange = 1...20_000

  /// Creates an entry from its id and intake.
  public init(id: RecordUUID, intake: Intake) {
    self.id = id
    self.intake = intake
  }
}
