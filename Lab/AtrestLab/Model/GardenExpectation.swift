// SPDX-License-Identifier: Apache-2.0
// What a scenario can expect of a garden.

import AtrestReplication
import TrunkDomain

/// What must hold of the garden on a device.
package struct GardenExpectation: Hashable, Sendable {
  /// Sprouts by name; nil for one that must not exist.
  package var sprouts: [Expectation.Named<SproutMatch?>] = []
  /// What leaves are called, by name; nil for one that must not exist.
  package var leaves: [Expectation.Named<String?>] = []
  /// Labels by part of the tree as people type it; nil for a part without a label.
  package var labels: [Expectation.Named<String?>] = []
  /// What there is to garden with, by the key in the file.
  package var meters: [Expectation.Named<Meter>] = []
  package var sproutCount: Int?

  /// A part of what there is to garden with.
  package enum Meter: Hashable, Sendable {
    /// To the hundredth.
    case soil(Soil)
    /// To the hundredth.
    case capacity(Soil)
    /// Waterings left on the device's day.
    case water(Int)
    /// Shinings left in the device's week.
    case sun(Int)
  }

  /// The expected parts of a sprout; nil parts are not compared.
  package struct SproutMatch: Hashable, Sendable {
    package var state: State?
    package var result: HarvestResult?
    package var title: String?
    package var twig: Twig?
    /// What it was planted as; for a draft what it would be.
    package var season: Season?
    package var environment: Environment?
    /// The leaf that people see, by name; a nil value for none.
    package var leaf: String??
    /// The words of its waterings, earliest first.
    package var words: [String]?
    /// The words of its harvest; a nil value for none.
    package var reflection: String??
    package var planted: WallTime?
    package var ended: WallTime?
  }

  /// A sprout's state.
  package enum State: String, Hashable, Sendable, CaseIterable {
    case draft, growing, harvested, uprooted

    init(_ state: Sprout.State) {
      switch state {
      case .draft: self = .draft
      case .active: self = .growing
      case .completed: self = .harvested
      case .failed: self = .uprooted
      }
    }
  }

  /// An expected value of one field.
  package enum ValueMatch: Hashable, Sendable {
    /// Words; nil for none.
    case text(String?)
    case twig(Twig)
    /// A plan, or what was planted when; nil parts are not compared.
    case plan(season: Season?, environment: Environment?, planted: WallTime?)
    /// An end: how if `state` is not nil; nil parts are not compared.
    case outcome(state: State?, result: HarvestResult?, ended: WallTime?, reflection: String??)
    /// A leaf's name; nil for none.
    case leaf(String?)
  }
}
