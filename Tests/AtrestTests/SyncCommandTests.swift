// SPDX-License-Identifier: Apache-2.0
// The output of `atrest sync` for programs and people, with a real server.

import Foundation
import Testing

@Suite("atrest sync", .timeLimit(.minutes(20)))
struct SyncCommandTests {
  @Test("with --json there is one object also where deletions wait for a word")
  func heldDeletions() throws {
    let household = try Household()
    let phone = try household.companion()
    var ids: [String] = []
    for _ in 0..<20 {
      let row = try phone("water", "add", "100", "--json").json() as? [String: Any]
      ids.append(try #require(row?["id"] as? String))
    }
    #expect(try phone("sync").code == 0)
    for id in ids.prefix(12) { try phone("water", "delete", id) }
    try phone("water", "add", "300")
    let held = try phone("sync", "--json")
    #expect(held.code == 65)
    #expect(held.err.hasPrefix("12 deletions wait for your word, because more than half"))
    let row = try #require(try held.json() as? [String: Any])
    #expect(row["held_deletions"] as? Int == 12 && row["sent"] as? Int == 1)
    let words = try phone("sync")
    #expect(words.code == 65 && words.out.isEmpty)
    let sent = try phone("sync", "--allow-mass-deletion", "--json")
    #expect(sent.code == 0)
    #expect((try sent.json() as? [String: Any])?["held_deletions"] as? Int == 0)
  }
}
