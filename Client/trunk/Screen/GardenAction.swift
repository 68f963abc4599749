// SPDX-License-Identifier: Apache-2.0
// What a person can do in the live garden.

import AtrestCompanion
import TrunkDomain

/// A change of the garden, with all that was answered.
enum GardenAction: Hashable {
  /// A new sprout, planted at once or kept as a draft.
  case sprout(title: String, on: Twig, Sprout.Plan, isDraft: Bool)
  /// Plants a draft.
  case plant(RecordUUID)
  case water(RecordUUID, note: String?)
  case shine(Twig, note: String?)
  case harvest(RecordUUID, HarvestResult, reflection: String?)
  case uproot(RecordUUID)
  case label(NodeID, String?)

  /// Writes the change.
  ///
  /// - Returns: The id of the record, and what to say.
  /// - Throws: `GardenProblem` if it cannot be done any more; `ReplicaError`.
  func perform(
    in garden: Garden, _ store: ReplicaTransaction, _ context: CommandContext
  ) throws -> (id: [UInt8], sentence: String) {
    let now = context.now
    func found(_ id: RecordUUID) throws -> Sprout {
      guard let sprout = garden.sprout(id) else { throw Self.gone }
      return sprout
    }
    switch self {
    case .sprout(let title, let twig, let plan, let isDraft):
      let draft = Sprout(
        id: RecordUUID.random(), title: title, twig: twig, plan: plan, created: now)
      let sprout = isDraft ? draft : try garden.planting(draft, at: now)
      try store.save(sprout)
      let after = try store.garden()
      return (
        sprout.id.bytes,
        isDraft
          ? GardenAnswers.drafted(sprout, in: after)
          : GardenAnswers.planted(sprout, in: after, context)
      )
    case .plant(let id):
      let draft = try found(id)
      let planted = try garden.planting(draft, at: now)
      try store.save(planted, editedFrom: draft)
      return (id.bytes, GardenAnswers.planted(planted, in: try store.garden(), context))
    case .water(let id, let note):
      let sprout = try found(id)
      let watering = try garden.watering(
        sprout, id: RecordUUID.random(), note: note, at: now, in: context.zone)
      try store.save(watering)
      return (watering.id.bytes, GardenAnswers.watered(sprout, in: try store.garden(), context))
    case .shine(let twig, let note):
      let shining = try garden.shining(
        on: twig, id: RecordUUID.random(), note: note, at: now, in: context.zone)
      try store.save(shining)
      return (shining.id.bytes, GardenAnswers.shone(on: twig, in: try store.garden(), context))
    case .harvest(let id, let result, let reflection):
      let sprout = try found(id)
      let harvested = try garden.harvesting(sprout, result, reflection: reflection, at: now)
      try store.save(harvested, editedFrom: sprout)
      let after = try store.garden()
      return (
        id.bytes,
        GardenAnswers.harvested(
          harvested, result, reward: after.ledger.capacity - garden.ledger.capacity, in: after,
          context)
      )
    case .uproot(let id):
      let sprout = try found(id)
      let uprooted = try garden.uprooting(sprout, at: now)
      try store.save(uprooted, editedFrom: sprout)
      return (id.bytes, GardenAnswers.uprooted(uprooted, in: try store.garden(), context))
    case .label(let node, let label):
      let before = garden.labels[node] ?? NodeLabel(id: node)
      var changed = before
      changed.label = label
      try store.save(changed, editedFrom: before)
      return (node.bytes, GardenAnswers.labelled(node, in: try store.garden()))
    }
  }

  private static let gone = CommandFailure("That sprout is not here any more. Choose another one.")
}
