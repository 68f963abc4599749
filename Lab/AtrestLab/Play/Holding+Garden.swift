// SPDX-License-Identifier: Apache-2.0
// The garden of a device.

import AtrestReplication
import AtrestWire
import TrunkDomain

extension Holding {
  /// The kinds of records of a garden.
  static let gardenKinds: Set<RecordKind> = [.sprout, .watering, .shining, .leaf, .node, .setting]

  /// The garden, derived as in `trunk`. O(its records).
  var garden: Garden {
    func all<R: SyncedRecord>(_: R.Type) -> [R] {
      gardenRecords.compactMap { record in
        guard record.key.kind == R.kind, !record.isDeleted, let id = R.ID(bytes: record.key.id)
        else { return nil }
        return R(id: id, fields: RecordFields(record))
      }
    }
    return Garden(
      sprouts: all(Sprout.self), waterings: all(Watering.self), shinings: all(Shining.self),
      leaves: all(Leaf.self), labels: all(NodeLabel.self), settings: all(GardenSetting.self))
  }

  /// The soil as text, `7.35 of 10.00`; nil where nobody gardens.
  var soil: String? {
    if gardenRecords.isEmpty { return nil }
    return Self.text(garden.ledger)
  }

  /// The soil of a garden in which nothing has happened.
  static let soilAtFirst = text(Garden().ledger)

  private static func text(_ ledger: TrunkDomain.Ledger) -> String {
    "\(ledger.soil.text) of \(ledger.capacity.text)"
  }
}
