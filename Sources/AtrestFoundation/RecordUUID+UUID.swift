// SPDX-License-Identifier: Apache-2.0
// Converts Foundation's UUIDs to records' ids and back, and draws new ones.

import AtrestReplication
import Foundation

extension RecordUUID {
  /// The id with a UUID's bytes.
  public init(_ uuid: UUID) {
    guard let id = RecordUUID(bytes: uuid.bytes) else {
      preconditionFailure("a UUID has sixteen bytes")
    }
    self = id
  }

  /// A new id for a record: UUID version 4, from the system's random numbers.
  public static func random() -> RecordUUID { RecordUUID(UUID()) }
}

extension UUID {
  /// The UUID with the bytes of a record's id.
  public init(_ id: RecordUUID) {
    self = id.bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// Creates a UUID from 16 bytes; nil for any other number.
  public init?(bytes: [UInt8]) {
    guard let id = RecordUUID(bytes: bytes) else { return nil }
    self.init(id)
  }

  /// The 16 bytes of the UUID.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: uuid) { Array($0) }
  }
}
