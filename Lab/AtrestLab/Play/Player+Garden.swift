// SPDX-License-Identifier: Apache-2.0
// Edits the garden of a device by the same rules as `trunk`.

import AtrestClient
import AtrestReplication
import AtrestWire
import TrunkDomain

extension Player {
  /// Applies an edit of a garden.
  ///
  /// - Throws: `GardenProblem` if the garden refuses it, `ImpossibleEdit`, `ReplicaError`.
  mutating func make(_ edit: GardenEdit, on device: Device, at now: WallTime) throws {
    switch edit {
    case .draft(let new):
      try change(device) { garden, store in
        try store.save(sprout(new, in: garden, at: now))
      }
      book.add(new.name, Sprout.key(of: RecordBook.id(new.name)))
    case .plant(let new, let at):
      let time = at ?? now
      try change(device) { garden, store in
        try store.save(garden.planting(sprout(new, in: garden, at: time), at: time))
      }
      book.add(new.name, Sprout.key(of: RecordBook.id(new.name)))
    case .plantDraft(let name, let at):
      try edited(name, device) { garden, sprout in try garden.planting(sprout, at: at ?? now) }
    case .water(let name, let note, let at):
      let shown = book.numbered { "watering \($0) of \(name)" }
      let id = RecordBook.id(shown)
      try change(device) { garden, store in
        try store.save(
          garden.watering(
            sprout(name, in: garden), id: id, note: note, at: at ?? now, in: zone))
      }
      book.add(nil, Watering.key(of: id), shown: shown)
    case .shine(let twig, let note, let at):
      let shown = book.numbered { "sun \($0) on twig \(twig.number)" }
      let id = RecordBook.id(shown)
      try change(device) { garden, store in
        try store.save(garden.shining(on: twig, id: id, note: note, at: at ?? now, in: zone))
      }
      book.add(nil, Shining.key(of: id), shown: shown)
    case .harvest(let name, let result, let reflection, let at):
      try edited(name, device) { garden, sprout in
        try garden.harvesting(sprout, result, reflection: reflection, at: at ?? now)
      }
    case .uproot(let name, let at):
      try edited(name, device) { garden, sprout in try garden.uprooting(sprout, at: at ?? now) }
    case .correct(let name, let edits):
      try edited(name, device) { garden, sprout in try apply(edits, to: sprout, in: garden) }
    case .addLeaf(let name, let twig):
      let leaf = Leaf(id: RecordBook.id(name), name: name, twig: twig, created: now)
      try change(device) { _, store in try store.save(leaf) }
      book.add(name, leaf.key)
    case .rename(let name, let text):
      try change(device) { garden, store in
        guard let leaf = garden.leaf(RecordBook.id(name)) else { throw missing(name) }
        var renamed = leaf
        renamed.name = text
        try store.save(renamed, editedFrom: leaf)
      }
    case .label(let node, let label, let note):
      try change(device) { garden, store in
        let before = garden.labels[node] ?? NodeLabel(id: node)
        var changed = before
        if let label { changed.label = label.isEmpty ? nil : label }
        if let note { changed.note = note.isEmpty ? nil : note }
        try store.save(changed, editedFrom: before)
      }
      book.add(node.typed, NodeLabel.key(of: node), shown: node.plainName)
    }
  }

  /// What was planted stays, as in `trunk`.
  func checkDeletion(_ key: RecordKey, in store: ReplicaTransaction) throws {
    guard key.kind == .sprout, let id = RecordUUID(bytes: key.id),
      let sprout = try store.record(of: Sprout.self, id)
    else { return }
    guard sprout.state == .draft else { throw GardenProblem.plantedCannotBeDeleted }
  }

  private func change(
    _ device: Device, _ body: (Garden, ReplicaTransaction) throws -> Void
  ) throws {
    try device.replica.transaction { store in
      try body(
        Garden(
          sprouts: store.records(of: Sprout.self), waterings: store.records(of: Watering.self),
          shinings: store.records(of: Shining.self), leaves: store.records(of: Leaf.self),
          labels: store.records(of: NodeLabel.self)), store)
    }
  }

  private func edited(
    _ name: String, _ device: Device, _ body: (Garden, Sprout) throws -> Sprout
  ) throws {
    try change(device) { garden, store in
      let before = try sprout(name, in: garden)
      try store.save(body(garden, before), editedFrom: before)
    }
  }

  private func sprout(_ name: String, in garden: Garden) throws(ImpossibleEdit) -> Sprout {
    guard let sprout = garden.sprout(RecordBook.id(name)) else { throw missing(name) }
    return sprout
  }

  private func sprout(
    _ new: GardenEdit.NewSprout, in garden: Garden, at time: WallTime
  ) throws -> Sprout {
    var sprout = Sprout(
      id: RecordBook.id(new.name), title: new.name, twig: new.twig, plan: new.plan, created: time)
    if let leaf = new.leaf { sprout.leaf = try self.leaf(leaf, on: new.twig, in: garden) }
    return sprout
  }

  private func leaf(_ name: String, on twig: Twig, in garden: Garden) throws -> RecordUUID {
    guard let leaf = garden.leaf(RecordBook.id(name)) else { throw missing(name) }
    guard leaf.twig == twig else { throw GardenProblem.leafElsewhere(leaf.twig) }
    return leaf.id
  }

  private func apply(
    _ edits: GardenEdit.SproutChange, to sprout: Sprout, in garden: Garden
  ) throws -> Sprout {
    if edits.season != nil || edits.environment != nil, sprout.state != .draft {
      throw GardenProblem.notADraft
    }
    var edited = sprout
    if let words = edits.reflection {
      edited = try garden.reflecting(on: sprout, words.isEmpty ? nil : words)
    }
    edited.title = edits.title ?? sprout.title
    edited.plan = Sprout.Plan(
      edits.season ?? sprout.plan.season, edits.environment ?? sprout.plan.environment)
    if let twig = edits.twig, twig != sprout.twig {
      edited.twig = twig
      edited.leaf = nil  // A leaf is on one twig.
    }
    if let leaf = edits.leaf {
      edited.leaf = try leaf.map { try self.leaf($0, on: edited.twig, in: garden) }
    }
    return edited
  }
}

extension NodeID {
  /// As people type it and as scenarios name it: `trunk`, `3`, `3.5`.
  var typed: String {
    switch self {
    case .trunk: "trunk"
    case .branch(let branch): "\(branch + 1)"
    case .twig(let twig): twig.number
    }
  }
}
