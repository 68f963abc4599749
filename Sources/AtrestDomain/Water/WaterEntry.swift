// SPDX-License-Identifier: Apache-2.0
// A drink: when, and how much.

import Foundation

/// One drink.
public struct WaterEntry: Hashable, Identifiable, Sendable {
  /// Time and amount, edited and merged as one.
  public struct Intake: Hashable, Sendable {
    /// When it was drunk.
    public let at: Date
    /// The amount in millilitres, within `millilitreRange`.
    public let millilitres: Int

    /// Creates an intake; nil if the amount is out of range.
    public init?(at: Date, millilitres: Int) {
      guard WaterEntry.millilitreRange.contains(millilitres) else { return nil }
      self.at = at
      self.millilitres = millilitres
    }
  }

  /// Chosen when the entry is created.
  public let id: UUID
  /// The time and the amount.
  public var intake: Intake

  /// The storable amounts in millilitres. Typed input has a narrower range.
  public static let millilitreRange = 1...20_000

  /// Creates an entry from its id and intake.
  public init(id: UUID, intake: Intake) {
    self.id = id
    self.intake = intake
  }
}
