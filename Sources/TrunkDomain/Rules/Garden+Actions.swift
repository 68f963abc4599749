// SPDX-License-Identifier: Apache-2.0
// What a person can do in a garden, and when it cannot be done.

import AtrestDomain
import AtrestReplication

extension Garden {
  /// Plants a draft, or what was just thought of.
  ///
  /// - Returns: The sprout as planted now.
  /// - Throws: `.notADraft`; `.notEnoughSoil`, also while soil is below zero.
  public func planting(_ sprout: Sprout, at now: WallTime) throws(GardenProblem) -> Sprout {
    guard sprout.state == .draft else { throw .notADraft }
    let cost = sprout.plan.cost
    guard ledger.soil >= cost else {
      throw .notEnoughSoil(needed: cost, there: ledger.soil)
    }
    var planted = sprout
    planted.planting = Sprout.Planting(at: now, plan: sprout.plan)
    planted.outcome = nil
    return planted
  }

  /// Waters a sprout that grows.
  ///
  /// - Throws: `.notGrowing`; `.noWater` if three waterings of the day are there.
  public func watering(
    _ sprout: Sprout, id: RecordUUID, note: String?, at now: WallTime, in zone: ZoneOffsets
  ) throws(GardenProblem) -> Watering {
    guard sprout.state == .active else { throw .notGrowing(sprout.state) }
    guard meters(at: now, in: zone).water > 0 else { throw .noWater }
    return Watering(
      id: id, sprout: sprout.id, at: now, day: GardenDay(now, in: zone), note: note)
  }

  /// Lets the sun shine on a twig.
  ///
  /// - Throws: `.noSun` if there is a shining of the week.
  public func shining(
    on twig: Twig, id: RecordUUID, note: String?, at now: WallTime, in zone: ZoneOffsets
  ) throws(GardenProblem) -> Shining {
    guard meters(at: now, in: zone).sun > 0 else { throw .noSun }
    return Shining(id: id, twig: twig, at: now, week: GardenWeek(now, in: zone), note: note)
  }

  /// Harvests a sprout that grows.
  ///
  /// - Throws: `.notGrowing`.
  public func harvesting(
    _ sprout: Sprout, _ result: HarvestResult, reflection: String?, at now: WallTime
  ) throws(GardenProblem) -> Sprout {
    guard sprout.state == .active else { throw .notGrowing(sprout.state) }
    var harvested = sprout
    harvested.outcome = Sprout.Outcome(at: now, result: result, reflection: reflection)
    return harvested
  }

  /// Writes other words about a harvest, or takes them away. Time and result stay.
  ///
  /// - Throws: `.notEnded`.
  public func reflecting(
    on sprout: Sprout, _ reflection: String?
  ) throws(GardenProblem) -> Sprout {
    guard sprout.ended != nil else { throw .notEnded }
    var edited = sprout
    edited.outcome?.reflection = reflection
    return edited
  }

  /// Uproots a sprout that grows.
  ///
  /// - Throws: `.notGrowing`.
  public func uprooting(_ sprout: Sprout, at now: WallTime) throws(GardenProblem) -> Sprout {
    guard sprout.state == .active else { throw .notGrowing(sprout.state) }
    var uprooted = sprout
    uprooted.outcome = Sprout.Outcome(at: now, result: nil)
    return uprooted
  }

  /// What a harvest would bring now.
  public func reward(of sprout: Sprout, _ result: HarvestResult) -> Soil {
    let plan = sprout.plantedPlan
    return Progression.reward(
      plan.season, plan.environment, result, capacity: ledger.capacity)
  }
}
