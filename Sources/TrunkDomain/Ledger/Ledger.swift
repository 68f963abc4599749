// SPDX-License-Identifier: Apache-2.0
// Derives soil and its capacity by replaying what happened in the garden.

import AtrestReplication

/// What happened in a garden, in the order that all replicas share, and the soil after each event.
///
/// Nothing of it is stored. The order is (time, id of the record, planting before ending), which
/// depends on the records alone; so whatever order, repetition or partition they arrive in, every
/// device derives the same soil. Two devices that plant with the last soil both keep their sprouts,
/// and soil is below zero until it has recovered.
public struct Ledger: Hashable, Sendable {
  /// What an event did.
  public enum Change: Hashable, Sendable {
    /// A sprout was planted for a price.
    case planted(cost: Soil)
    /// A sprout was watered; `recovered` is zero for the fourth watering of a day.
    case watered(recovered: Soil)
    /// The sun shone on a twig; `recovered` is zero for the second shining of a week.
    case shone(recovered: Soil)
    /// A sprout was harvested: its price came back, and capacity grew.
    case harvested(returned: Soil, reward: Soil)
    /// A sprout was uprooted: a quarter of its price came back.
    case uprooted(returned: Soil)
  }

  /// One event, and what there was after it.
  public struct Entry: Hashable, Sendable {
    /// When it counts.
    public let at: WallTime
    /// The sprout, the watering or the shining.
    public let id: RecordUUID
    /// What it did.
    public let change: Change
    /// The soil after it. Below zero if devices planted apart from each other.
    public let soil: Soil
    /// The capacity after it.
    public let capacity: Soil
  }

  /// The soil after everything.
  public private(set) var soil = Soil.start
  /// The capacity after everything.
  public private(set) var capacity = Soil.start
  /// Every event, if they were asked for; else none.
  public private(set) var entries: [Entry] = []

  /// An event before it is replayed.
  private struct Event {
    let at: WallTime
    let id: RecordUUID
    /// Orders the events of one record: what begins it, before what ends it.
    let rank: UInt8
    let kind: Kind

    enum Kind {
      case planting(Soil)
      case watering(GardenDay)
      case shining(GardenWeek)
      case harvest(Sprout.Plan, HarvestResult)
      case uprooting(Soil)
    }

    static func < (a: Event, b: Event) -> Bool {
      if a.at != b.at { return a.at < b.at }
      return a.id == b.id ? a.rank < b.rank : a.id < b.id
    }
  }

  /// Replays a garden.
  ///
  /// - Parameter keepsEntries: Whether to keep each event, for a journal.
  /// - Complexity: O(n log n) in the records, O(n) if they are in order already.
  public init(
    sprouts: [Sprout], waterings: [Watering], shinings: [Shining], keepsEntries: Bool = false
  ) {
    var events: [Event] = []
    events.reserveCapacity(2 * sprouts.count + waterings.count + shinings.count)
    for sprout in sprouts {
      guard let planting = sprout.planting else { continue }
      let plan = planting.plan
      events.append(Event(at: planting.at, id: sprout.id, rank: 0, kind: .planting(plan.cost)))
      guard let ended = sprout.ended else { continue }
      let kind: Event.Kind =
        sprout.outcome?.result.map { .harvest(plan, $0) } ?? .uprooting(plan.cost)
      events.append(Event(at: ended, id: sprout.id, rank: 1, kind: kind))
    }
    for watering in waterings {
      events.append(
        Event(at: watering.at, id: watering.id, rank: 0, kind: .watering(watering.day)))
    }
    for shining in shinings {
      events.append(Event(at: shining.at, id: shining.id, rank: 0, kind: .shining(shining.week)))
    }
    events.sort(by: <)
    if keepsEntries { entries.reserveCapacity(events.count) }
    var watered: [GardenDay: Int] = [:]
    var shone: [GardenWeek: Int] = [:]
    for event in events {
      let change: Change
      switch event.kind {
      case .planting(let cost):
        soil = soil - cost
        change = .planted(cost: cost)
      case .watering(let day):
        let count = watered[day, default: 0]
        watered[day] = count + 1
        change = .watered(recovered: recover(count < Watering.perDay ? .perWatering : .zero))
      case .shining(let week):
        let count = shone[week, default: 0]
        shone[week] = count + 1
        change = .shone(recovered: recover(count < Shining.perWeek ? .perShining : .zero))
      case .harvest(let plan, let result):
        let reward = Progression.reward(
          plan.season, plan.environment, result, capacity: capacity)
        capacity = min(capacity + reward, .greatestCapacity)
        change = .harvested(returned: recover(plan.cost), reward: reward)
      case .uprooting(let cost):
        change = .uprooted(returned: recover(Progression.refund(cost)))
      }
      if keepsEntries {
        entries.append(
          Entry(at: event.at, id: event.id, change: change, soil: soil, capacity: capacity))
      }
    }
  }

  /// Adds soil up to the capacity, and returns what was added.
  private mutating func recover(_ amount: Soil) -> Soil {
    let room = max(.zero, capacity - soil)
    let added = min(amount, room)
    soil = soil + added
    return added
  }
}
