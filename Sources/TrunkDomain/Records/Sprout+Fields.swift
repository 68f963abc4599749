// SPDX-License-Identifier: Apache-2.0
// The garden's values as fields of records, as garden.proto declares them.

import AtrestReplication
import AtrestWire

extension Sprout: SyncedRecord {
  /// The kind of its records.
  public static let kind = RecordKind.sprout

  /// Every field with its value.
  public var fields: RecordFields {
    var fields = RecordFields()
    fields[text: GardenField.Sprout.title] = title
    fields[text: GardenField.Sprout.twig] = twig.id
    fields[group: GardenField.Sprout.plan] = plan.fields
    fields[group: GardenField.Sprout.planting] = planting?.fields
    fields[group: GardenField.Sprout.outcome] = outcome?.fields(of: planting)
    fields[bytes: GardenField.Sprout.leaf] = leaf?.bytes
    fields[text: GardenField.Sprout.bloom1] = blooms.one
    fields[text: GardenField.Sprout.bloom3] = blooms.three
    fields[text: GardenField.Sprout.bloom5] = blooms.five
    fields[integer: GardenField.Sprout.createdMs] = created.milliseconds
    return fields
  }

  /// Reads a record; nil if it lacks a twig or a plan, or holds what no version wrote.
  public init?(id: RecordUUID, fields: RecordFields) {
    guard let twig = fields[text: GardenField.Sprout.twig].flatMap({ Twig(id: $0) }),
      let plan = fields[group: GardenField.Sprout.plan].flatMap({ Plan($0) })
    else { return nil }
    self.init(
      id: id, title: fields[text: GardenField.Sprout.title] ?? "", twig: twig, plan: plan,
      created: WallTime(milliseconds: fields[integer: GardenField.Sprout.createdMs] ?? 0),
      leaf: fields[id: GardenField.Sprout.leaf],
      blooms: Blooms(
        one: fields[text: GardenField.Sprout.bloom1],
        three: fields[text: GardenField.Sprout.bloom3],
        five: fields[text: GardenField.Sprout.bloom5]))
    let ended = fields[group: GardenField.Sprout.outcome]
    outcome = ended.flatMap { Outcome($0) }
    // What ended had been planted, whatever became of the planting's own register meanwhile.
    planting =
      (outcome == nil ? nil : ended.flatMap { Planting(ofEnded: $0) })
      ?? fields[group: GardenField.Sprout.planting].flatMap { Planting($0) }
  }
}

extension Sprout.Plan {
  var fields: RecordFields {
    var fields = RecordFields()
    fields[integer: GardenField.SproutPlan.season] = season.rawValue
    fields[integer: GardenField.SproutPlan.environment] = environment.rawValue
    return fields
  }

  init?(_ fields: RecordFields) {
    guard
      let season = fields[integer: GardenField.SproutPlan.season].flatMap(Season.init(rawValue:)),
      let environment = fields[integer: GardenField.SproutPlan.environment]
        .flatMap(Environment.init(rawValue:))
    else { return nil }
    self.init(season, environment)
  }
}

extension Sprout.Planting {
  var fields: RecordFields {
    var fields = RecordFields()
    fields[integer: GardenField.SproutPlanting.atMs] = at.milliseconds
    fields[integer: GardenField.SproutPlanting.season] = plan.season.rawValue
    fields[integer: GardenField.SproutPlanting.environment] = plan.environment.rawValue
    return fields
  }

  init?(_ fields: RecordFields) {
    guard let at = WallTime(recorded: fields[integer: GardenField.SproutPlanting.atMs]),
      let season = fields[integer: GardenField.SproutPlanting.season]
        .flatMap(Season.init(rawValue:)),
      let environment = fields[integer: GardenField.SproutPlanting.environment]
        .flatMap(Environment.init(rawValue:))
    else { return nil }
    self.init(at: at, plan: Sprout.Plan(season, environment))
  }

  /// The planting in an outcome's fields.
  fileprivate init?(ofEnded fields: RecordFields) {
    var planting = RecordFields()
    for (from, to) in [
      (GardenField.SproutOutcome.plantedAtMs, GardenField.SproutPlanting.atMs),
      (GardenField.SproutOutcome.season, GardenField.SproutPlanting.season),
      (GardenField.SproutOutcome.environment, GardenField.SproutPlanting.environment),
    ] {
      planting[integer: to] = fields[integer: from]
    }
    self.init(planting)
  }
}

extension Sprout.Outcome {
  /// - Parameter planting: What ended.
  func fields(of planting: Sprout.Planting?) -> RecordFields {
    var fields = RecordFields()
    fields[integer: GardenField.SproutOutcome.atMs] = at.milliseconds
    if let result { fields[integer: GardenField.SproutOutcome.result] = result.rawValue }
    if let reflection { fields[text: GardenField.SproutOutcome.reflection] = reflection }
    guard let planting else { return fields }
    fields[integer: GardenField.SproutOutcome.plantedAtMs] = planting.at.milliseconds
    fields[integer: GardenField.SproutOutcome.season] = planting.plan.season.rawValue
    fields[integer: GardenField.SproutOutcome.environment] = planting.plan.environment.rawValue
    return fields
  }

  init?(_ fields: RecordFields) {
    guard let at = WallTime(recorded: fields[integer: GardenField.SproutOutcome.atMs]) else {
      return nil
    }
    let number = fields[integer: GardenField.SproutOutcome.result] ?? 0
    let result = HarvestResult(rawValue: number)
    guard number == 0 || result != nil else { return nil }
    self.init(
      at: at, result: result, reflection: fields[text: GardenField.SproutOutcome.reflection])
  }
}

extension WallTime {
  /// A time that a record can hold; nil for another, and for none.
  init?(recorded milliseconds: Int64?) {
    guard let milliseconds, Self.recordable.contains(milliseconds) else { return nil }
    self.init(milliseconds: milliseconds)
  }
}
