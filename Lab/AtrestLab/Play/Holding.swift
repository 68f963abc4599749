// SPDX-License-Identifier: Apache-2.0
// A snapshot of a device's contents as people see them.

import AtrestClient
import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

/// A fast. The alias avoids the server's unrelated `Session`.
typealias Fast = AtrestDomain.Session

/// A device's records, journal and outbox.
struct Holding: Sendable {
  /// A record's values by field.
  struct HeldRecord: Hashable, Sendable {
    var values: [FieldNumber: HeldValue] = [:]
    var writers: [FieldNumber: ReplicaID] = [:]

    var isDeleted: Bool { values[Register.deletedField] == .field(.deleted(true)) }

    var fast: (span: Fast.Span, targetMinutes: Int)? {
      guard case .field(.span(let span))? = values[SessionField.span],
        case .field(.targetMinutes(let minutes))? = values[SessionField.target]
      else { return nil }
      return (span, minutes)
    }

    var intake: WaterEntry.Intake? {
      if case .field(.intake(let intake))? = values[WaterField.intake] { intake } else { nil }
    }

    var text: String? {
      if case .field(.text(let text))? = values[PreferenceField.value] { text } else { nil }
    }
  }

  /// Fasts, water, settings and the garden's records, deleted ones too.
  var items: [RecordKey: HeldRecord] = [:]
  /// The garden's records, deleted ones too.
  var gardenRecords: [Record] = []
  /// The journal, oldest conflict first.
  var journal: [JournalEntry] = []
  /// The number of waiting writes, refused ones included.
  var waiting = 0
  /// The number of refused writes.
  var refused = 0
  /// The digest; equal in replicas with the same records.
  var digest = ""
  var identity = ReplicaID.none

  private static let kinds = gardenKinds.union([.session, .water, .preference])

  init() {}

  init(_ replica: Replica) throws(ReplicaError) {
    for record in try replica.allRecords() where Self.kinds.contains(record.key.kind) {
      if Self.gardenKinds.contains(record.key.kind) { gardenRecords.append(record) }
      var item = HeldRecord()
      // What was pruned is told by what is missing.
      for register in record.registers where register.field != Register.pruneFloorField {
        item.values[register.field] = HeldValue(register, of: record.key.kind)
        item.writers[register.field] = register.stamp.replica
      }
      items[record.key] = item
    }
    journal = try replica.conflicts().sorted {
      ($0.conflict.lost.stamp, $0.conflict.field) < ($1.conflict.lost.stamp, $1.conflict.field)
    }
    let status = try replica.status()
    waiting = status.pendingCount
    refused = status.refusedCount
    identity = status.replica
    digest = try replica.digest()
  }

  /// Records that are there, in the order of their keys.
  var live: [(key: RecordKey, item: HeldRecord)] {
    items.filter { !$0.value.isDeleted }.map { ($0.key, $0.value) }.sorted { $0.key < $1.key }
  }

  /// The active fast, derived as in every program.
  var active: RecordUUID? {
    Fasting(
      live.compactMap { key, item in
        guard key.kind == .session, let id = RecordUUID(bytes: key.id), let fast = item.fast else {
          return nil
        }
        return Fast(id: id, span: fast.span, targetMinutes: fast.targetMinutes)
      }
    ).active?.id
  }
}
