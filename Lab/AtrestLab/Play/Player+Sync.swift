// SPDX-License-Identifier: Apache-2.0
// Syncs a device and reports changes, winners and losers.

import AtrestClient
import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

extension Player {
  /// A failed sync.
  struct Unsynced {
    let kind: Scenario.SyncFailure
    let sentence: String
  }

  /// Syncs a device.
  ///
  /// - Returns: The failure; nil on success.
  mutating func sync(
    _ index: Int, _ step: Scenario.Step, allowsMassDeletion: Bool
  ) async throws -> Unsynced? {
    let device = devices[index]
    let before = try Holding(device.replica)
    var failure: Unsynced?
    var words = ""
    if device.isOffline {
      failure = Unsynced(
        kind: .offline, sentence: "it has no network; \(LabWords.writesWait(before.waiting))")
    } else {
      do {
        let answer = try await device.replica.sync(
          allowingMassDeletion: allowsMassDeletion)
        words = LabWords.counts(answer)
        if answer.refused > 0 {
          failure = Unsynced(
            kind: .refused, sentence: "the server did not take \(LabWords.writes(answer.refused))")
        }
      } catch {
        failure = Unsynced(kind: Scenario.SyncFailure(error), sentence: error.userMessage)
      }
      try learnIdentity(index)
    }
    let after = try Holding(device.replica)
    if failure == nil { ledger.sync(device.name) }
    var notes = changes(from: before, to: after)
    if report.isVerbose { notes.append(.held(before: lines(before), after: lines(after))) }
    let what = failure.map { "cannot sync: \($0.sentence)" } ?? "syncs: \(words)"
    report.add(step, who: device.name, what, notes)
    return failure
  }

  /// Checks a sync's outcome. Failing while offline is expected; any other failure must be stated
  /// in the scenario.
  mutating func judge(
    _ failure: Scenario.SyncFailure?, _ expected: Scenario.SyncFailure?, _ name: String,
    _ step: Scenario.Step
  ) {
    switch (failure, expected) {
    case (nil, nil), (.offline, nil): break
    case (nil, let expected?):
      report.check(
        false, step.line,
        "the sync of \(name): expected it to fail (\(expected.rawValue)), and it did not")
    case (let kind?, nil):
      report.check(false, step.line, "the sync of \(name) failed (\(kind.rawValue))")
    case (let kind?, let expected?):
      report.check(
        kind == expected, step.line,
        "the sync of \(name): expected \(expected.rawValue), found \(kind.rawValue)")
    }
  }

  /// The changes of a device between two snapshots.
  func changes(from before: Holding, to after: Holding) -> [Report.Note] {
    var notes: [Report.Note] = []
    for key in Set(before.items.keys).union(after.items.keys).sorted(by: shownBefore) {
      let name = book.name(key)
      let (old, new) = (before.items[key], after.items[key])
      guard old?.values != new?.values, let new else { continue }
      let wasThere = old.map { !$0.isDeleted } ?? false
      let deleter = writer(new, Register.deletedField)
      switch (wasThere, new.isDeleted) {
      case (false, false):
        notes.append(.appeared(record: name, value: words(new, name)))
      case (true, true): notes.append(.deleted(record: name, by: deleter))
      case (false, true): if old == nil { notes.append(.deleted(record: name, by: deleter)) }
      case (true, false):
        for field in new.values.keys.sorted() where old?.values[field] != new.values[field] {
          notes.append(
            .changed(
              record: name,
              before: (old?.values[field] ?? HeldValue(unset: field, of: key.kind)).map(words)
                ?? "nothing",
              after: new.values[field].map(words) ?? "nothing",
              by: writer(new, field)))
        }
      }
    }
    let known = Set(before.journal.map(\.key))
    for entry in after.journal where !known.contains(entry.key) {
      notes.append(setAside(entry))
    }
    return notes + soilChange(from: before, to: after)
  }

  /// Soil is derived: no device wrote it.
  func soilChange(from before: Holding, to after: Holding) -> [Report.Note] {
    guard let soil = after.soil else { return [] }
    let earlier = before.soil ?? Holding.soilAtFirst
    return soil == earlier ? [] : [.soil(before: earlier, after: soil)]
  }

  /// A field's value as text.
  private func words(_ value: HeldValue) -> String {
    switch value {
    case .field(let value): LabWords.value(value, start, zone)
    case .garden(let value): LabWords.value(value, start, zone, name: book.name)
    }
  }

  /// A record's values as text.
  private func words(_ item: Holding.HeldRecord, _ name: String) -> String {
    let values = item.values.keys.sorted().filter { $0 != Register.deletedField }
      .compactMap { item.values[$0] }
    let isPlanted = values.contains { if case .garden(.planting(_?)) = $0 { true } else { false } }
    return values.filter { value in
      guard case .garden(let value) = value else { return true }
      return LabWords.isListed(value, isPlanted: isPlanted, name: name)
    }.map(words).joined(separator: ", ")
  }

  func setAside(_ entry: JournalEntry) -> Report.Note {
    // The server forgot the record after its deletion; that is what the write lost to.
    let isPruned = entry.conflict.kept.field == Register.pruneFloorField
    let kept = isPruned ? .field(.deleted(true)) : entry.keptValue
    return .setAside(
      record: book.name(entry.conflict.key),
      value: (entry.losses.count == 1 ? entry.losses : Array(entry.losses.dropFirst()))
        .map { words(HeldValue($0, of: entry.conflict.key.kind)) }.joined(separator: ", "),
      by: writers.name(entry.conflict.lost.stamp.replica),
      kept: words(kept),
      keptBy: writers.name(entry.conflict.kept.stamp.replica))
  }

  private func writer(_ item: Holding.HeldRecord, _ field: FieldNumber) -> String {
    writers.name(item.writers[field] ?? .none)
  }

  private func shownBefore(_ a: RecordKey, _ b: RecordKey) -> Bool {
    a.kind == b.kind ? LabWords.isBefore(book.name(a), book.name(b)) : a.kind < b.kind
  }

  /// The visible records of a device, one per line, and the soil where there is a garden.
  func lines(_ holding: Holding) -> [String] {
    holding.live.sorted { shownBefore($0.key, $1.key) }.map { key, item in
      let name = book.name(key)
      return "\(name): \(words(item, name))"
    } + (holding.soil.map { ["soil: \($0)"] } ?? [])
  }
}

extension Scenario.SyncFailure {
  /// The scenario's name for a sync error.
  init(_ error: SyncError) {
    switch error.code {
    case .unreachable: self = .unreachable
    case .accessEnded, .notPaired, .notPermitted: self = .accessEnded
    case .massDeletion: self = .massDeletion
    default: self = .other
    }
  }
}
