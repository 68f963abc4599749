// SPDX-License-Identifier: Apache-2.0
// Ids that follow from names: the same for ever, because imported files are imported again.

import AtrestReplication
import AtrestWire
import Testing

@Suite("An id that follows from a name", .timeLimit(.minutes(20)))
struct RecordUUIDNameTests {
  /// Source: Python's hashlib.
  @Test("is the beginning of its hash, with the version and the variant of RFC 9562")
  func value() {
    #expect(
      RecordUUID(hashing: "trunk.leaf.17").uuidString == "11FE892A-26C1-8CB5-A3C5-CB27998999BB")
    #expect(RecordUUID(hashing: "") != RecordUUID(hashing: " "))
  }
}
