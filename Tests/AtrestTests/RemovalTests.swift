// SPDX-License-Identifier: Apache-2.0
// `atrest-syncd account remove`: confirmed first, and final.

import Foundation
import Testing

@Suite("atrest-syncd account remove", .timeLimit(.minutes(20)))
struct RemovalTests {
  @Test("the name has to be typed; anything else removes nothing")
  func asked() throws {
    let household = try Household()
    let phone = try household.companion()
    try phone("water", "add", "250")
    #expect(try phone("sync").code == 0)
    for typed in ["", "y\n", "Kim\n"] {
      let answer = try household.syncd.start(["account", "remove", "kim"], typing: typed).wait()
      #expect(answer.code == 65 && answer.out.isEmpty)
      #expect(answer.err.contains("1 record and the access of 1 device"), "\(answer.err)")
      #expect(answer.err.contains("nothing was removed"))
    }
    #expect(try phone("sync").code == 0)
    let answer = try household.syncd.start(["account", "remove", "kim"], typing: "kim\n").wait()
    #expect(answer.code == 0)
    #expect(try household.syncd("account", "list", "--json").json() as? [String] == [])
    #expect(try phone("sync").code == 77)
    // The device keeps its local data.
    #expect(try phone("status").out.contains("250 ml"))
  }

  @Test("--yes asks nothing; an account that is not there is an error either way")
  func sure() throws {
    let household = try Household()
    _ = try household.link(isFirst: true)
    let answer = try household.syncd("account", "remove", "kim", "--yes")
    #expect(answer.code == 0 && answer.err.isEmpty)
    #expect(try household.syncd("account", "remove", "kim", "--yes").code == 65)
    #expect(try household.syncd("account", "remove", "kim").code == 65)
  }
}
