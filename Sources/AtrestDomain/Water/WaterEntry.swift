// SPDX-License-Identifier: Apache-2.0
// Something drunk: when, and how much.

import Foundation

/// One glass of water.
public struct WaterEntry: Hashable, Identifiable, Sendable {
  /// When and how much: edited and merged as one.
  public struct Intake: Hashable, Sendable {
    /// When it was drunk.
    public let at: Date
    /// How much, in `millilitreRange`.
    public let millilitres: Int

    /// An intake, or nil if the amount is out of range.
    public init?(at: Date, millilitres: Int) {
      guard WaterEntry.millilitreRange.contains(millilitres) else { return nil }
      self.at = at
      self.millilitres = millilitres
    }
  }

  /// Chosen when the entry is made.
  public let id: UUID
  /// When and how much.
  public var intake: Intake

  /// The amounts that can be stored, in millilitres. What a person can drink is a narrower
  /// question, asked where a person types.
  public static let millilitreRange = 1...20_000

  /// An entry.
  public init(id: UUID, intake: Intake) {
    self.id = id
    self.intake = intake
  }
}
