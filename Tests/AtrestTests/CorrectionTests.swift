// SPDX-License-Identifier: Apache-2.0
// Adding and correcting afterwards, as people and scripts do it.

import Foundation
import Testing

@Suite("Adding and correcting afterwards", .timeLimit(.minutes(20)))
struct CorrectionTests {
  private let atrest: Binary

  init() throws { atrest = try Binary() }

  @Test("an amount can be corrected where the drink's time has not come by this device's clock")
  func amountAlone() throws {
    let file = atrest.home.appendingPathComponent("backup.jsonl")
    let backup = """
      {"format":"atrest-sync","made_at":"2026-11-26T17:38:58.083Z","program":"0.1.0","records":{"water":1},"version":1}
      {"id":"afa0343c-145f-4c0c-a7da-85afab781fe3","intake":{"at":"2099-01-01T12:00:00Z","millilitres":250},"kind":"water"}
      {"count":1,"sha256":"b8ea7723538e4ba86b9d0debf084e4f3964e747cde0760c063602eb84d8cdf0e"}

      """
    try backup.write(to: file, atomically: true, encoding: .utf8)
    #expect(try atrest("import", file.path, "--yes").code == 0)
    let answer = try atrest("water", "edit", "afa0", "--amount", "300ml")
    #expect(answer.code == 0 && answer.out.contains("300 ml"), "\(answer.err)")
    #expect(try atrest("water", "edit", "afa0", "--at", "2099-01-01 12:00").code == 65)
  }
}
