// SPDX-License-Identifier: Apache-2.0
// What a person can do in the garden: each action is one transaction, and can be undone.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import TrunkDomain
import TrunkPresentation

extension WebCore {
  /// More bytes than a form has room for. How long a text may be is the garden's rule, which has a
  /// sentence for it.
  private static let typedBytes = 1 << 20

  private func typed(_ argument: Arguments, _ name: String) throws(CoreFailure) -> String? {
    try argument.text(name, limitBytes: Self.typedBytes)
  }

  func actInGarden(
    _ name: String, _ argument: Arguments, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    if name == "garden.undo" { return try undo(of: RecordKind.ofGarden, &work) }
    let garden = try garden(in: work)
    return try undoable(.edit, &work) { work throws(CoreFailure) in
      switch name {
      case "garden.sprout": try sprout(argument, garden, &work)
      case "garden.plant": try plant(argument, garden, &work)
      case "garden.edit": try edit(argument, garden, &work)
      case "garden.water": try water(argument, garden, &work)
      case "garden.shine": try shine(argument, garden, &work)
      case "garden.harvest": try harvest(argument, garden, &work)
      case "garden.uproot": try uproot(argument, garden, &work)
      case "garden.delete": try deleteDraft(argument, garden, &work)
      case "garden.label": try label(argument, garden, &work)
      default: throw .misuse("the action \(name) is unknown")
      }
    }
  }

  // MARK: Sprouts

  /// A new sprout: planted at once, or a draft.
  private func sprout(
    _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let words = try typed(argument, "title") ?? ""
    let title = try grown { () throws(GardenProblem) in try GardenRules.title(words) }
    let twig = try argument.required(twig(argument))
    var sprout = Sprout(
      id: newID(), title: title, twig: twig,
      plan: try plan(argument, or: Sprout.Plan(.oneMonth, .fertile)), created: work.now)
    try setDetails(of: &sprout, argument, garden, &work)
    if try argument.flag("isDraft") {
      try save(sprout, &work)
      return answer(sprout.id, "Drafted \(quoted(sprout)).")
    }
    return try plant(sprout, garden, &work)
  }

  private func plant(
    _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    try plant(sprout(argument, in: garden), garden, &work)
  }

  private func plant(
    _ draft: Sprout, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let now = work.now
    let planted = try grown { () throws(GardenProblem) in try garden.planting(draft, at: now) }
    try save(planted, &work)
    return answer(
      planted.id,
      "Planted \(quoted(planted)) on \(named(planted.twig, in: garden)). \(try soil(work))")
  }

  private func edit(
    _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let found = try sprout(argument, in: garden)
    var edited = found
    if let note = try note(argument) {
      edited = try grown { () throws(GardenProblem) in
        try garden.reflecting(on: found, note)
      }
    }
    edited.plan = try plan(argument, or: found.plan)
    if edited.plan != found.plan, found.state != .draft {
      throw CoreFailure(GardenProblem.notADraft)
    }
    if let title = try typed(argument, "title") {
      edited.title = try grown { () throws(GardenProblem) in try GardenRules.title(title) }
    }
    if let twig = try twig(argument), twig != found.twig {
      edited.twig = twig
      edited.leaf = nil  // A leaf is on one twig.
    }
    try setDetails(of: &edited, argument, garden, &work)
    try save(edited, editedFrom: found, &work)
    return answer(edited.id, nil)
  }

  private func harvest(
    _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let now = work.now
    let found = try sprout(argument, in: garden)
    let words = try note(argument) ?? nil
    guard
      let result = HarvestResult(rawValue: try argument.required(argument.number("result", 1...5)))
    else { throw CoreFailure(GardenProblem.result) }
    let harvested = try grown { () throws(GardenProblem) in
      try garden.harvesting(found, result, reflection: words, at: now)
    }
    try save(harvested, editedFrom: found, &work)
    return answer(
      found.id,
      "Harvested \(quoted(found)): \(result.label), \(result.rawValue) of 5. \(try soil(work))")
  }

  private func uproot(
    _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let now = work.now
    let found = try sprout(argument, in: garden)
    let uprooted = try grown { () throws(GardenProblem) in try garden.uprooting(found, at: now) }
    try save(uprooted, editedFrom: found, &work)
    return answer(found.id, "Uprooted \(quoted(found)). \(try soil(work))")
  }

  private func deleteDraft(
    _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let found = try sprout(argument, in: garden)
    guard found.state == .draft else { throw CoreFailure(GardenProblem.plantedCannotBeDeleted) }
    try delete(found.key, &work)
    return answer(nil, "Deleted \(quoted(found)).")
  }

  private func plan(
    _ argument: Arguments, or plan: Sprout.Plan
  ) throws(CoreFailure) -> Sprout.Plan {
    var plan = plan
    if let code = try argument.text("season") {
      guard let season = Season(code: code) else { throw CoreFailure(GardenProblem.season) }
      plan.season = season
    }
    if let code = try argument.text("environment") {
      guard let environment = Environment(code: code) else {
        throw CoreFailure(GardenProblem.environment)
      }
      plan.environment = environment
    }
    return plan
  }

  /// Sets blooms and leaf as far as they are told; an empty text takes them away.
  private func setDetails(
    of sprout: inout Sprout, _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) {
    func bloom(_ name: String, or bloom: String?) throws(CoreFailure) -> String? {
      guard let text = try typed(argument, name) else { return bloom }
      return try grown { () throws(GardenProblem) in try GardenRules.bloom(text) }
    }
    sprout.blooms.one = try bloom("bloom1", or: sprout.blooms.one)
    sprout.blooms.three = try bloom("bloom3", or: sprout.blooms.three)
    sprout.blooms.five = try bloom("bloom5", or: sprout.blooms.five)
    guard let words = try typed(argument, "leaf") else { return }
    guard !words.isEmpty else {
      sprout.leaf = nil
      return
    }
    let name = try grown { () throws(GardenProblem) in try GardenRules.leafName(words) }
    let twig = sprout.twig
    if let leaf = garden.leaves.first(where: { $0.twig == twig && $0.name == name }) {
      sprout.leaf = leaf.id
      return
    }
    let leaf = Leaf(id: newID(), name: name, twig: twig, created: work.now)
    try save(leaf, &work)
    sprout.leaf = leaf.id
  }

  // MARK: Words

  private func water(
    _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let (now, zone, id) = (work.now, environment.zone, newID())
    let found = try sprout(argument, in: garden)
    let words = try note(argument) ?? nil
    let watering = try grown { () throws(GardenProblem) in
      try garden.watering(found, id: id, note: words, at: now, in: zone)
    }
    try save(watering, &work)
    return answer(watering.id, "Watered \(quoted(found)). \(try soil(work))")
  }

  private func shine(
    _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let (now, zone, id) = (work.now, environment.zone, newID())
    let twig = try argument.required(twig(argument))
    let words = try note(argument) ?? nil
    let shining = try grown { () throws(GardenProblem) in
      try garden.shining(on: twig, id: id, note: words, at: now, in: zone)
    }
    try save(shining, &work)
    return answer(
      shining.id, "The sun shone on \(named(twig, in: garden)). \(try soil(work))")
  }

  /// Names a part of the tree, or the garden itself.
  private func label(
    _ argument: Arguments, _ garden: Garden, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let node = try argument.required(node(argument))
    let before = garden.labels[node] ?? NodeLabel(id: node)
    var changed = before
    if let words = try typed(argument, "label") {
      let label = try grown { () throws(GardenProblem) in try GardenRules.label(words) }
      if case .trunk = node {
        if label != garden.name {
          try save(GardenSetting(id: .gardenName, value: label ?? ""), &work)
        }
      } else {
        changed.label = label
      }
    }
    if let note = try note(argument) { changed.note = note }
    try save(changed, editedFrom: before, &work)
    return answer(nil, nil)
  }

  /// The words of a note: nil without any, and an inner nil for empty ones.
  private func note(_ argument: Arguments) throws(CoreFailure) -> String?? {
    guard let words = try typed(argument, "note") else { return nil }
    return .some(try grown { () throws(GardenProblem) in try GardenRules.note(words) })
  }

  // MARK: Writing

  private func save(_ record: some SyncedRecord, _ work: inout Work) throws(CoreFailure) {
    do throws(ReplicaError) { try work.write(record.key, record.fields) } catch {
      throw CoreFailure(error)
    }
  }

  /// Writes the fields in which a record differs from what was read, and no other.
  private func save<R: SyncedRecord>(
    _ record: R, editedFrom original: R, _ work: inout Work
  ) throws(CoreFailure) {
    let fields = record.fields.changed(from: original.fields)
    guard fields != RecordFields() else { return }
    do throws(ReplicaError) { try work.write(record.key, fields) } catch {
      throw CoreFailure(error)
    }
  }

  private func delete(_ key: RecordKey, _ work: inout Work) throws(CoreFailure) {
    do throws(ReplicaError) { _ = try work.delete(key) } catch { throw CoreFailure(error) }
  }

  private func answer(_ id: RecordUUID?, _ words: String?) -> JSON {
    .members(("id", id.map { .text($0.name) }), ("words", words.map { .text($0) }))
  }

  /// What is left after an action, for the end of an answer.
  private func soil(_ work: Work) throws(CoreFailure) -> String {
    let meters = try garden(in: work).meters(at: work.now, in: environment.zone)
    return "Soil: \(PictureWords.soil(meters))."
  }
}
