// SPDX-License-Identifier: Apache-2.0
// Golden encodings as protobuf-c writes them: the same table that the Swift codec is held to.

import AtrestProtocol
import AtrestReplication
import AtrestWireCases
import Testing

@Suite("The bytes of messages, by protobuf-c", .timeLimit(.minutes(20)))
struct GoldenTests {
  @Test("are what they were", arguments: GoldenCase.all)
  func bytes(of golden: GoldenCase) {
    #expect(hex(golden.packed()) == golden.hex)
    #expect(golden.unpacks(golden.packed()))
  }
}
