// SPDX-License-Identifier: Apache-2.0
// When a person must confirm a mass deletion.

import AtrestReplication
import Testing

@Suite("A mass deletion", .timeLimit(.minutes(20)))
struct MassDeletionTests {
  @Test(
    "is more than half of twenty records or more",
    arguments: [
      (10, 19, false), (19, 19, false), (10, 20, false), (11, 20, true), (20, 20, true),
      (50, 100, false), (51, 100, true),
    ])
  func needsWord(deletions: Int, live: Int, expected: Bool) {
    #expect(MassDeletion.needsWord(deletions: deletions, of: live) == expected)
  }

  @Test("is ruled out without counting only where no account could make it one")
  func mayNeedWord() {
    for deletions in 0...60 {
      let inAny = (0...200).contains { MassDeletion.needsWord(deletions: deletions, of: $0) }
      #expect(MassDeletion.mayNeedWord(deletions: deletions) == inAny, "\(deletions)")
    }
  }
}
