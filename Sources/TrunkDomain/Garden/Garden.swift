// SPDX-License-Identifier: Apache-2.0
// A whole garden: its records, and what is derived from them.

import AtrestDomain
import AtrestReplication

/// The records of a garden, and what is derived from them. A value: it does not change when the
/// records do.
public struct Garden: Sendable {
  /// By twig, then by time of creation.
  public let sprouts: [Sprout]
  /// In no order: there are many, and the ledger has an order of its own.
  public let waterings: [Watering]
  /// In no order.
  public let shinings: [Shining]
  /// By twig, then by time of creation.
  public let leaves: [Leaf]
  /// What a person calls parts of the tree.
  public let labels: [NodeID: NodeLabel]
  /// What the garden is called; nil for no name.
  public let name: String?
  /// Soil and capacity.
  public let ledger: Ledger

  /// A garden of records in any order.
  ///
  /// - Complexity: O(n log n) in the records.
  public init(
    sprouts: [Sprout] = [], waterings: [Watering] = [], shinings: [Shining] = [],
    leaves: [Leaf] = [], labels: [NodeLabel] = [], settings: [GardenSetting] = []
  ) {
    self.sprouts = sprouts.ordered {
      ($0.twig.index, $0.created, $0.id) < ($1.twig.index, $1.created, $1.id)
    }
    self.waterings = waterings
    self.shinings = shinings
    self.leaves = leaves.ordered {
      ($0.twig.index, $0.created, $0.id) < ($1.twig.index, $1.created, $1.id)
    }
    var byNode: [NodeID: NodeLabel] = [:]
    for label in labels { byNode[label.id] = label }
    self.labels = byNode
    name = settings.first { $0.id == .gardenName && !$0.value.isEmpty }?.value
    ledger = Ledger(sprouts: self.sprouts, waterings: self.waterings, shinings: self.shinings)
  }

  /// The sprouts of a twig, earliest first.
  public func sprouts(on twig: Twig) -> [Sprout] { sprouts.filter { $0.twig == twig } }

  /// The sprouts of a branch, by twig.
  public func sprouts(onBranch branch: Int) -> [Sprout] {
    sprouts.filter { $0.twig.branch == branch }
  }

  /// What grows: planted, not harvested and not uprooted; the earliest planted first.
  public var growing: [Sprout] {
    sprouts.filter { $0.state == .active }.ordered {
      let (a, b) = ($0.planting?.at ?? $0.created, $1.planting?.at ?? $1.created)
      return a == b ? $0.id < $1.id : a < b
    }
  }

  /// A sprout by its id; nil if there is none.
  public func sprout(_ id: RecordUUID) -> Sprout? { sprouts.first { $0.id == id } }

  /// A leaf by its id; nil if there is none.
  public func leaf(_ id: RecordUUID) -> Leaf? { leaves.first { $0.id == id } }

  /// The saga of a sprout; nil if it has none, or that was deleted, or is on another twig: one
  /// device can move the sprout while another one gives it a leaf.
  public func leaf(of sprout: Sprout) -> Leaf? {
    guard let leaf = sprout.leaf.flatMap({ leaf($0) }), leaf.twig == sprout.twig else { return nil }
    return leaf
  }

  /// The sprouts of a saga, earliest first.
  public func sprouts(of leaf: Leaf) -> [Sprout] {
    sprouts.filter { $0.leaf == leaf.id && $0.twig == leaf.twig }
  }

  /// The waterings of a sprout, earliest first.
  ///
  /// - Complexity: O(all waterings).
  public func waterings(of sprout: RecordUUID) -> [Watering] {
    waterings.filter { $0.sprout == sprout }
      .ordered { $0.at == $1.at ? $0.id < $1.id : $0.at < $1.at }
  }

  /// How often each sprout was watered.
  ///
  /// - Complexity: O(all waterings).
  public var wateringCounts: [RecordUUID: Int] {
    var counts: [RecordUUID: Int] = [:]
    for watering in waterings { counts[watering.sprout, default: 0] += 1 }
    return counts
  }

  /// The label of a node, else its plain name.
  public func title(of node: NodeID) -> String {
    labels[node]?.label.flatMap { $0.isEmpty ? nil : $0 } ?? node.plainName
  }

  /// What is there at an instant, where a zone holds.
  public func meters(at now: WallTime, in zone: ZoneOffsets) -> Meters {
    let day = GardenDay(now, in: zone)
    let watered = waterings.lazy.filter { $0.day == day }.count
    let shone = shinings.lazy.filter { $0.week == day.week }.count
    return Meters(
      soil: ledger.soil, capacity: ledger.capacity,
      water: max(0, Watering.perDay - watered), sun: max(0, Shining.perWeek - shone),
      waterReturns: day.next.start(in: zone), sunReturns: day.week.end.start(in: zone))
  }
}

/// What a person has to garden with.
public struct Meters: Hashable, Sendable {
  /// The soil; below zero if devices planted apart from each other.
  public let soil: Soil
  /// How much soil there can be.
  public let capacity: Soil
  /// Waterings left today, 0 to 3.
  public let water: Int
  /// Shinings left this week, 0 or 1.
  public let sun: Int
  /// When water is back.
  public let waterReturns: WallTime
  /// When sun is back.
  public let sunReturns: WallTime

  /// How full the soil is, 0 to 1.
  public var soilShare: Double {
    guard capacity > .zero else { return 0 }
    return min(1, max(0, soil.value / capacity.value))
  }
}
