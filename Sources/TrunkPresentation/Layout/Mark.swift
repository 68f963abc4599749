// SPDX-License-Identifier: Apache-2.0
// What a sprout looks like, by its state.

import AtrestReplication
import TrunkDomain

/// What stands for a sprout in every picture.
enum Mark: Hashable {
  /// A draft: a closed bud.
  case bud
  /// It grows: a leaf as large as its progress, 0 to 1.
  case leaf(progress: Double)
  /// Harvested: a blossom.
  case blossom(HarvestResult)
  /// Uprooted: a scar on the twig, and a leaf on the ground.
  case scar

  init(_ sprout: Sprout, at now: WallTime) {
    switch sprout.state {
    case .draft: self = .bud
    case .active: self = .leaf(progress: sprout.progress(at: now))
    case .completed(let result): self = .blossom(result)
    case .failed: self = .scar
    }
  }

  /// Whether it is drawn around a middle, and not from a stalk on.
  var isBlossom: Bool { if case .blossom = self { true } else { false } }

  /// Which marks are drawn where there is no room for all: what grows, then harvests, then drafts.
  var rank: Int {
    switch self {
    case .leaf: 0
    case .blossom: 1
    case .bud: 2
    case .scar: 3
    }
  }
}
