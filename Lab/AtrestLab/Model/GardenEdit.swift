// SPDX-License-Identifier: Apache-2.0
// What a person does in a garden, in a scenario.

import AtrestReplication
import TrunkDomain

/// An edit of a garden on a device. Sprouts and leaves have names that exist only in the scenario;
/// they are also the titles that they begin with.
package enum GardenEdit: Hashable, Sendable {
  /// Keeps an idea.
  case draft(NewSprout)
  /// Plants a new sprout, by default now.
  case plant(NewSprout, at: WallTime?)
  /// Plants a draft, by default now.
  case plantDraft(String, at: WallTime?)
  /// Waters a sprout, by default now.
  case water(String, note: String?, at: WallTime?)
  /// Lets the sun shine on a twig, by default now.
  case shine(Twig, note: String?, at: WallTime?)
  /// Harvests a sprout, by default now.
  case harvest(String, HarvestResult, reflection: String?, at: WallTime?)
  /// Uproots a sprout, by default now.
  case uproot(String, at: WallTime?)
  /// Edits a sprout.
  case correct(String, SproutChange)
  /// Begins a leaf on a twig.
  case addLeaf(String, on: Twig)
  /// Gives a leaf another name.
  case rename(String, to: String)
  /// Names a part of the tree, or notes something on it. An empty text takes it away.
  case label(NodeID, label: String?, note: String?)

  /// A sprout that is new.
  package struct NewSprout: Hashable, Sendable {
    /// The name and the title.
    package var name: String
    package var twig: Twig
    package var plan: Sprout.Plan
    /// The leaf's name.
    package var leaf: String?
  }

  /// The edited parts of a sprout.
  package struct SproutChange: Hashable, Sendable {
    package var title: String?
    package var twig: Twig?
    package var season: Season?
    package var environment: Environment?
    /// The leaf's name; a nil value for none.
    package var leaf: String??
    /// The words of the harvest; empty for none.
    package var reflection: String?
  }
}

/// Why a garden refuses an edit.
package enum GardenRefusal: String, Hashable, Sendable, CaseIterable {
  case notEnoughSoil = "not enough soil"
  case noWater = "no water left"
  case noSun = "no sun left"
  /// A draft, or what was harvested or uprooted.
  case notGrowing = "not growing"
  /// A draft, or what grows.
  case notEnded = "not ended"
  /// Only a draft can be planted, and only a draft's plan edited.
  case planted = "planted already"
  case leafElsewhere = "leaf on another twig"

  /// The scenario's name for a problem; nil for one that the parser finds.
  init?(_ problem: GardenProblem) {
    switch problem {
    case .notEnoughSoil: self = .notEnoughSoil
    case .noWater: self = .noWater
    case .noSun: self = .noSun
    case .notGrowing: self = .notGrowing
    case .notEnded: self = .notEnded
    case .notADraft, .plantedCannotBeDeleted: self = .planted
    case .leafElsewhere: self = .leafElsewhere
    case .title, .leafName, .bloom, .label, .note, .control, .beforePlanting, .season, .environment,
      .result, .twig,
      .node, .branch:
      return nil
    }
  }
}
