// SPDX-License-Identifier: Apache-2.0
// Reads single records that are not deleted.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire

extension UnitOfWork {
  /// A record that is not deleted.
  func live(_ key: RecordKey) throws(ReplicaError) -> Record? {
    guard let record = try records.record(key), !record.isDeleted else { return nil }
    return record
  }

  func session(_ id: RecordUUID) throws(ReplicaError) -> Session? {
    try live(RecordKey(kind: .session, id: id.bytes)).flatMap { try? Session($0) }
  }

  func preference(_ name: String) throws(ReplicaError) -> String? {
    try live(RecordKey(kind: .preference, id: Array(name.utf8)))
      .flatMap { try? PreferenceField.value(of: $0) }
  }
}
