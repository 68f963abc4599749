// SPDX-License-Identifier: Apache-2.0
// Adds the records of a file to a garden, and counts what became of each.

import AtrestCompanion
import TrunkDomain

/// What became of the records of a file in a replica.
struct GardenAddition: Encodable {
  private(set) var sprouts = 0
  private(set) var waterings = 0
  private(set) var shinings = 0
  private(set) var leaves = 0
  private(set) var labels = 0
  private(set) var names = 0
  /// Records here that took over what they lacked.
  private(set) var completed = 0
  /// Records here about which the file says something else; they stay as they are.
  private(set) var differing = 0
  /// Records of the file that were deleted here; they stay deleted.
  private(set) var deleted = 0
  private(set) var leftOut = 0
  private(set) var shortened = 0
  var written = false

  /// How many records were written.
  var changes: Int { sprouts + waterings + shinings + leaves + labels + names + completed }

  /// Adds what is not there, and completes what is.
  ///
  /// - Parameter writes: Whether to write, or only to count.
  init(
    _ file: GardenImport, to store: ReplicaTransaction, writes: Bool
  ) throws(ReplicaError) {
    (leftOut, shortened, written) = (file.leftOut, file.shortened, writes)
    sprouts = try add(file.sprouts.values.sorted { $0.id < $1.id }, store)
    waterings = try add(
      newcomers(file.waterings.values.sorted { $0.id < $1.id }, store) {
        Moment(subject: $0.sprout.bytes, at: $0.at, note: $0.note)
      }, store)
    shinings = try add(
      newcomers(file.shinings.values.sorted { $0.id < $1.id }, store) {
        Moment(subject: Array($0.twig.id.utf8), at: $0.at, note: $0.note)
      }, store)
    leaves = try add(file.leaves.values.sorted { $0.id < $1.id }, store)
    labels = try add(file.labels, store)
    names = try add(
      file.name.map { [GardenSetting(id: .gardenName, value: $0)] } ?? [], store)
  }

  /// - Returns: How many were added.
  private mutating func add<R: FillableRecord>(
    _ records: [R], _ store: ReplicaTransaction
  ) throws(ReplicaError) -> Int {
    var added = 0
    for record in records {
      guard let stored = try store.record(record.key) else {
        if written { try store.save(record) }
        added += 1
        continue
      }
      if stored.isDeleted {
        deleted += 1
        continue
      }
      guard let here = try store.record(of: R.self, record.id) else {
        // A newer version wrote it.
        differing += 1
        continue
      }
      let filled = here.filled(from: record) { stored[$0] != nil }
      if filled != here {
        if written { try store.save(filled, editedFrom: here) }
        completed += 1
      }
      if filled.differs(from: record) { differing += 1 }
    }
    return added
  }

  /// What tells words of one moment apart from others.
  private struct Moment: Hashable {
    let subject: [UInt8]
    let at: WallTime
    let note: String?
  }

  /// The records without those that are here under another id: the web app gives an event a
  /// `client_id` only once it has synced it, and a later file of the same garden has it.
  private func newcomers<R: FillableRecord>(
    _ records: [R], _ store: ReplicaTransaction, _ moment: (R) -> Moment
  ) throws(ReplicaError) -> [R] where R.ID: Hashable {
    guard !records.isEmpty else { return [] }
    let ids = Set(records.map(\.id))
    var here: [Moment: Int] = [:]
    for record in try store.records(of: R.self) where !ids.contains(record.id) {
      here[moment(record), default: 0] += 1
    }
    guard !here.isEmpty else { return records }
    var newcomers: [R] = []
    for record in records {
      let count = here[moment(record), default: 0]
      if count > 0, try store.record(record.key) == nil {
        here[moment(record)] = count - 1
      } else {
        newcomers.append(record)
      }
    }
    return newcomers
  }

  enum CodingKeys: String, CodingKey {
    case sprouts, waterings, shinings, leaves, labels, names, completed, differing, deleted
    case leftOut, shortened, written
  }
}
