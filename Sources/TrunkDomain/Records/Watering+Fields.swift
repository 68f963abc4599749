// SPDX-License-Identifier: Apache-2.0
// Waterings and shinings as fields of records.

import AtrestDomain
import AtrestReplication
import AtrestWire

extension Watering: SyncedRecord {
  /// The kind of its records.
  public static let kind = RecordKind.watering

  /// Every field with its value.
  public var fields: RecordFields {
    var given = RecordFields()
    given[integer: GardenField.WateringGiven.atMs] = at.milliseconds
    given[integer: GardenField.WateringGiven.day] = Int64(day.number)
    given[id: GardenField.WateringGiven.sprout] = sprout
    var fields = RecordFields()
    fields[group: GardenField.Watering.given] = given
    fields[text: GardenField.Watering.note] = note
    fields[text: GardenField.Watering.prompt] = prompt
    return fields
  }

  /// Reads a record; nil if it does not say when and whom. A day that cannot be the time's is
  /// replaced by the one in UTC.
  public init?(id: RecordUUID, fields: RecordFields) {
    guard let given = fields[group: GardenField.Watering.given],
      let at = WallTime(recorded: given[integer: GardenField.WateringGiven.atMs]),
      let sprout = given[id: GardenField.WateringGiven.sprout]
    else { return nil }
    let day = GardenDay(
      number: Int(clamping: given[integer: GardenField.WateringGiven.day] ?? .min))
    self.init(
      id: id, sprout: sprout, at: at, day: day.isPlausible(at: at) ? day : GardenDay(at, in: .utc),
      note: fields[text: GardenField.Watering.note],
      prompt: fields[text: GardenField.Watering.prompt])
  }
}

extension Shining: SyncedRecord {
  /// The kind of its records.
  public static let kind = RecordKind.shining

  /// Every field with its value.
  public var fields: RecordFields {
    var given = RecordFields()
    given[integer: GardenField.ShiningGiven.atMs] = at.milliseconds
    given[integer: GardenField.ShiningGiven.week] = Int64(week.monday)
    given[text: GardenField.ShiningGiven.twig] = twig.id
    var fields = RecordFields()
    fields[group: GardenField.Shining.given] = given
    fields[text: GardenField.Shining.note] = note
    fields[text: GardenField.Shining.prompt] = prompt
    return fields
  }

  /// Reads a record; nil if it does not say when and where. A week that cannot be the time's is
  /// replaced by the one in UTC.
  public init?(id: RecordUUID, fields: RecordFields) {
    guard let given = fields[group: GardenField.Shining.given],
      let at = WallTime(recorded: given[integer: GardenField.ShiningGiven.atMs]),
      let twig = given[text: GardenField.ShiningGiven.twig].flatMap({ Twig(id: $0) })
    else { return nil }
    let week = GardenWeek(
      monday: Int(clamping: given[integer: GardenField.ShiningGiven.week] ?? .min))
    self.init(
      id: id, twig: twig, at: at,
      week: week.isPlausible(at: at) ? week : GardenWeek(at, in: .utc),
      note: fields[text: GardenField.Shining.note],
      prompt: fields[text: GardenField.Shining.prompt])
  }
}
