// SPDX-License-Identifier: Apache-2.0
// Derives a record's id from a name, so that all devices that import a file make the same record.

import AtrestReplication

extension RecordUUID {
  /// Creates the id that follows from a name, which starts with what it names: `"mood csv 17"`.
  ///
  /// Source: RFC 9562, section 5.8, version 8, from the first bytes of a SHA-256.
  public init(hashing name: String) {
    var bytes = Array(PortableSHA256.hash(Array(name.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    guard let id = RecordUUID(bytes: bytes) else { preconditionFailure("16 bytes are a UUID") }
    self = id
  }
}
