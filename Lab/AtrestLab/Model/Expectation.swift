// SPDX-License-Identifier: Apache-2.0
// What a scenario can expect of its devices.

import Foundation

/// What must hold at some point.
package struct Expectation: Hashable, Sendable {
  /// The devices it is about; empty for all.
  package var devices: [String] = []
  /// Fasts by name; nil for one that must not be there.
  package var fasts: [Named<FastMatch?>] = []
  /// Water by name.
  package var water: [Named<WaterMatch?>] = []
  /// Settings by key.
  package var settings: [Named<String?>] = []
  /// How many fasts there are.
  package var fastCount: Int?
  /// How many entries of water there are.
  package var waterCount: Int?
  /// The fast that goes on: its name, or nothing for none.
  package var active: Named<String?>?
  /// What the journal holds.
  package var journal: Journal?
  /// Writes that wait to be sent, refused ones included.
  package var waiting: Int?
  /// Whether the devices hold the same, byte by byte.
  package var isIdentical: Bool?

  /// Something with the line that asks for it.
  package struct Named<Value: Hashable & Sendable>: Hashable, Sendable {
    /// What it is about.
    package var name: String
    /// What must hold of it.
    package var value: Value
    /// Where it stands, from 1.
    package var line: Int
  }

  /// What a fast must be like; what is nil does not matter.
  package struct FastMatch: Hashable, Sendable {
    /// When it began.
    package var began: Date?
    /// When it ended.
    package var ended: Date?
    /// `active`, `completed` or `abandoned`.
    package var outcome: String?
    /// How long it is meant to last.
    package var targetMinutes: Int?
  }

  /// What an entry of water must be like; what is nil does not matter.
  package struct WaterMatch: Hashable, Sendable {
    /// How much.
    package var millilitres: Int?
    /// When.
    package var at: Date?
  }

  /// What the journal must hold.
  package enum Journal: Hashable, Sendable {
    /// So many entries.
    case count(Int)
    /// Exactly these, in any order.
    case entries([Named<EntryMatch>])
  }

  /// What an entry of the journal must be like; what is nil does not matter.
  package struct EntryMatch: Hashable, Sendable {
    /// The part of the record that both writes were for.
    package var field: Scenario.FieldName?
    /// What won.
    package var kept: ValueMatch?
    /// What lost.
    package var setAside: ValueMatch?
    /// The device that wrote what won.
    package var wonBy: String?
    /// The device that wrote what lost.
    package var from: String?
  }

  /// What a value must be like.
  package enum ValueMatch: Hashable, Sendable {
    /// A fast's times.
    case fast(FastMatch)
    /// A fast's target in minutes.
    case target(Int)
    /// Water.
    case water(WaterMatch)
    /// A setting.
    case text(String)
    /// A deletion, or its opposite.
    case deleted(Bool)
  }
}
