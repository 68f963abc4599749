// SPDX-License-Identifier: Apache-2.0
// Times and ids survive the way through Foundation's types.

import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("Foundation's dates and UUIDs", .timeLimit(.minutes(20)))
struct ConversionTests {
  @Test("every time that a record can hold survives being a date")
  func times() {
    checkLaw { random in
      let time = WallTime(milliseconds: Int64.random(in: 0..<(1 << 47), using: &random))
      return WallTime(time.date) == time
    }
  }

  @Test("a date becomes the nearest millisecond, and one that no clock shows traps nothing")
  func dates() {
    #expect(WallTime(Date(timeIntervalSince1970: 1.0006)).milliseconds == 1001)
    #expect(WallTime(Date(timeIntervalSince1970: -1.0006)).milliseconds == -1001)
    #expect(WallTime(.distantPast) < .epoch && WallTime(.distantFuture) > .epoch)
    for seconds in [Double.infinity, -.infinity, 1e300, -1e300] {
      let limit: Int64 = seconds > 0 ? 1_000_000_000_000_000 : -1_000_000_000_000_000
      #expect(WallTime(Date(timeIntervalSince1970: seconds)).milliseconds == limit)
    }
    #expect(WallTime(Date(timeIntervalSince1970: .nan)) == .epoch)
  }

  @Test("an id and a UUID have one text and the same bytes")
  func ids() {
    for _ in 0..<100 {
      let id = RecordUUID.random()
      #expect(UUID(id).uuidString == id.uuidString && RecordUUID(UUID(id)) == id)
      #expect(UUID(bytes: id.bytes) == UUID(id) && UUID(id).bytes == id.bytes)
    }
    #expect(UUID(bytes: [1, 2, 3]) == nil)
    #expect(RecordUUID.random() != RecordUUID.random())
  }
}
