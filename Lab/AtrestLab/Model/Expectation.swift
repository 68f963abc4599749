// SPDX-License-Identifier: Apache-2.0
// The expectations that a scenario can state.

import AtrestReplication
import Foundation

/// What must hold at a point of the scenario.
package struct Expectation: Hashable, Sendable {
  /// The devices concerned; empty for all.
  package var devices: [String] = []
  /// Fasts by name; nil for one that must not exist.
  package var fasts: [Named<FastMatch?>] = []
  /// Drinks by name; nil for one that must not exist.
  package var water: [Named<WaterMatch?>] = []
  /// Settings by key; nil for one that must not be set.
  package var settings: [Named<String?>] = []
  package var fastCount: Int?
  /// The number of drinks.
  package var waterCount: Int?
  /// The active fast's name; a nil value for none.
  package var active: Named<String?>?
  package var garden = GardenExpectation()
  /// The journal's contents.
  package var journal: Journal?
  /// The number of writes waiting to be sent, refused ones included.
  package var waiting: Int?
  /// Whether the devices' records are identical, byte by byte.
  package var isIdentical: Bool?

  /// An expectation with its line in the file.
  package struct Named<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The subject's name.
    package var name: String
    /// The expected value.
    package var value: Value
    /// The line in the file, from 1.
    package var line: Int
  }

  /// The expected parts of a fast; nil parts are not compared.
  package struct FastMatch: Hashable, Sendable {
    /// When it started.
    package var began: WallTime?
    package var ended: WallTime?
    /// `active`, `completed` or `abandoned`.
    package var outcome: String?
    package var targetMinutes: Int?
  }

  /// The expected parts of a drink; nil parts are not compared.
  package struct WaterMatch: Hashable, Sendable {
    /// The amount in millilitres.
    package var millilitres: Int?
    /// When it was drunk.
    package var at: WallTime?
  }

  /// The expected journal.
  package enum Journal: Hashable, Sendable {
    /// A number of entries.
    case count(Int)
    /// Exactly these, in any order.
    case entries([Named<EntryMatch>])
  }

  /// The expected parts of a journal entry; nil parts are not compared.
  package struct EntryMatch: Hashable, Sendable {
    /// The field that both writes were for.
    package var field: Scenario.FieldName?
    /// The winning value.
    package var kept: ValueMatch?
    /// The losing value.
    package var setAside: ValueMatch?
    /// The winning write's device.
    package var wonBy: String?
    /// The losing write's device.
    package var from: String?
  }

  /// An expected value.
  package enum ValueMatch: Hashable, Sendable {
    /// A fast's span.
    case fast(FastMatch)
    /// A fast's target in minutes.
    case target(Int)
    /// A drink.
    case water(WaterMatch)
    /// A setting.
    case text(String)
    /// A deletion, or a write that is none.
    case deleted(Bool)
    /// A value of a garden.
    case garden(GardenExpectation.ValueMatch)
  }
}
