// SPDX-License-Identifier: Apache-2.0
// Specifies ids of sixteen bytes, against Foundation's UUID.

import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("Ids of sixteen bytes", .timeLimit(.minutes(20)))
struct RecordUUIDTests {
  @Test("text and bytes are those of Foundation's UUID, in small digits too")
  func text() {
    checkLaw { random in
      let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      guard let id = RecordUUID(bytes: bytes) else { return false }
      let theirs = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      return id.bytes == bytes && id.uuidString == theirs.uuidString
        && RecordUUID(uuidString: id.uuidString) == id
        && RecordUUID(uuidString: id.uuidString.lowercased()) == id
    }
  }

  @Test("ids are ordered like their texts")
  func order() {
    checkLaw { random in
      // Few distinct bytes, so that ids often differ late.
      let ids = (0..<2).compactMap { _ in
        RecordUUID(bytes: (0..<16).map { _ in UInt8(random.next() % 2) * 0xA0 })
      }
      guard ids.count == 2 else { return false }
      return (ids[0] < ids[1]) == (ids[0].uuidString < ids[1].uuidString)
        && (ids[0] == ids[1]) == (ids[0].uuidString == ids[1].uuidString)
    }
  }

  @Test(
    "what is not a UUID is refused, also where Foundation reads one",
    arguments: [
      "", "3F2A0000-0000-4000-8000-0000000000", "3F2A0000-0000-4000-8000-00000000000B0",
      "3F2A00000-000-4000-8000-00000000000B", "3F2A0000000040008000-00000000000B",
      "3F2A0000-0000-4000-8000-00000000000G", "{3F2A0000-0000-4000-8000-0000000000B}",
      " 3F2A0000-0000-4000-8000-00000000000", "3F2A0000-0000-4000-8000-0000000000é",
    ])
  func refused(text: String) {
    #expect(RecordUUID(uuidString: text) == nil)
  }

  @Test("an id has sixteen bytes", arguments: [0, 15, 17])
  func length(count: Int) {
    #expect(RecordUUID(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }
}
