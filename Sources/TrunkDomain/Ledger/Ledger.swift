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

  /// An event before it is replayed. Without its id, which is needed for those of one time alone:
  /// sorting moves small events, and there are many.
  private struct Event {
    let at: WallTime
    let kind: Kind
    /// Orders the events of one record: what begins it, before what ends it.
    let rank: UInt8
    /// The place of its id among the ids.
    let number: UInt32

    enum Kind {
      case planting(Soil)
      case watering(GardenDay)
      case shining(GardenWeek)
      case harvest(Sprout.Plan, HarvestResult)
      case uprooting(Soil)
    }
  }

  /// Replays a garden.
  ///
  /// - Parameter keepsEntries: Whether to keep each event, for a journal.
  /// - Complexity: O(n log n) in the records, O(n) if they are in order already.
  public init(
    sprouts: [Sprout], waterings: [Watering], shinings: [Shining], keepsEntries: Bool = false
  ) {
    let most = 2 * sprouts.count + waterings.count + shinings.count
    var (events, ids): ([Event], [RecordUUID]) = ([], [])
    events.reserveCapacity(most)
    ids.reserveCapacity(most)
    func add(_ id: RecordUUID, at: WallTime, rank: UInt8 = 0, _ kind: Event.Kind) {
      events.append(Event(at: at, kind: kind, rank: rank, number: UInt32(ids.count)))
      ids.append(id)
    }
    for sprout in sprouts {
      guard let planting = sprout.planting else { continue }
      let plan = planting.plan
      add(sprout.id, at: planting.at, .planting(plan.cost))
      guard let ended = sprout.ended else { continue }
      let kind: Event.Kind =
        sprout.outcome?.result.map { .harvest(plan, $0) } ?? .uprooting(plan.cost)
      add(sprout.id, at: ended, rank: 1, kind)
    }
    for watering in waterings { add(watering.id, at: watering.at, .watering(watering.day)) }
    for shining in shinings { add(shining.id, at: shining.at, .shining(shining.week)) }
    events.sort { a, b in
      if a.at != b.at { return a.at < b.at }
      let (first, second) = (ids[Int(a.number)], ids[Int(b.number)])
      return first == second ? a.rank < b.rank : first < second
    }
    if keepsEntries { entries.reserveCapacity(events.count) }
    // By the numbers of days, and of the Mondays of weeks.
    var watered: [Int: Int] = [:]
    var shone: [Int: Int] = [:]
    for event in events {
      let change: Change
      switch event.kind {
      case .planting(let cost):
        soil = soil - cost
        change = .planted(cost: cost)
      case .watering(let day):
        let count = Self.countUp(&watered[day.number, default: 0])
        change = .watered(recovered: recover(count <= Watering.perDay ? .perWatering : .zero))
      case .shining(let week):
        let count = Self.countUp(&shone[week.monday, default: 0])
        change = .shone(recovered: recover(count <= Shining.perWeek ? .perShining : .zero))
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
          Entry(
            at: event.at, id: ids[Int(event.number)], change: change, soil: soil,
            capacity: capacity))
      }
    }
  }

  /// Counts one more, in one look-up of a dictionary.
  private static func countUp(_ count: inout Int) -> Int {
    count += 1
    return count
  }

  /// Adds soil up to the capacity, and returns what was added.
  private mutating func recover(_ amount: Soil) -> Soil {
    let room = max(.zero, capacity - soil)
    let added = min(amount, room)
    soil = soil + added
    return added
  }
}
