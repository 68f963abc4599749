// SPDX-License-Identifier: Apache-2.0
// The texts of `atrest doctor`: the differences, and one calm line at the end.

import AtrestClient
import AtrestCommandLine
import AtrestReplication
import AtrestSync
import Foundation
import Testing

@testable import AtrestCompanion
@testable import atrest

@Suite("What a look at everything says", .timeLimit(.minutes(20)))
struct DoctorViewTests {
  private func key(_ kind: RecordKind, _ id: UInt8) -> RecordKey { RecordKey(kind: kind, id: [id]) }

  private let words = DoctorWords(program: Atrest.programName)

  private func report(_ differences: Differences? = nil) -> DoctorReport {
    var report = DoctorReport(records: 812, status: Fixture.status(waiting: 3))
    if let differences { report.found(differences, hasSynced: true, Atrest.recordWords) }
    return report
  }

  @Test("equal: everything is said in a few lines")
  func equal() {
    let report = report(Differences())
    #expect(words.here(report) == ["Here: 812 records, all readable.", "3 changes wait to sync."])
    #expect(
      words.there(report) == ["Account: “home” on 127.0.0.1:7420.", "Clock: as the server's."])
    #expect(words.verdict(report).hasSuffix("differ only by what is still to be exchanged."))
    #expect(report.isWell)
  }

  @Test("differences by kind, what was only looked at, and what was mended")
  func different() {
    var found = Differences()
    found.missingHere = [key(.session, 1), key(.session, 2)]
    found.missingThere = [key(.water, 3)]
    found.different = [key(.session, 4)]
    found.news = [key(.water, 5)]
    found.serverOffsetMilliseconds = -95_500
    var report = report(found)
    #expect(words.there(report).contains("Differs: session: 2 missing here, 1 not alike."))
    #expect(words.there(report).contains("Differs: water: 1 missing on the server."))
    #expect(words.there(report).contains("1 record is new on the server; `atrest sync` brings it."))
    #expect(
      words.there(report).contains { $0.hasPrefix("Clock: 95 seconds ahead of the server's") })
    #expect(
      words.verdict(report) == "4 records differ. `atrest doctor` without `--check` mends that.")
    #expect(!report.isWell)
    report.repaired(SyncReport(), left: Differences())
    #expect(words.verdict(report).hasPrefix("All is well again"))
    #expect(report.isWell)
    report.repaired(SyncReport(), left: found)
    #expect(words.verdict(report).hasPrefix("4 records differ still; nothing is lost."))
  }

  @Test("unpaired, or nothing written: nothing to compare, and nothing amiss")
  func unpaired() {
    #expect(words.verdict(DoctorReport()) == "Nothing is written here yet, and nothing is amiss.")
    let report = DoctorReport(records: 2, status: Fixture.status(paired: false))
    #expect(report.isWell && words.verdict(report).contains("not paired"))
  }

  @Test("for programs")
  func json() throws {
    var found = Differences()
    found.missingHere = [key(.session, 1)]
    #expect(
      try JSON.line(report(found))
        == #"{"account":"home","clock_offset_milliseconds":0,"differences":[{"different":0,"kind":"session","missing_here":1,"missing_on_server":0}],"held_deletions":0,"left":1,"news":0,"paired":true,"records":812,"refused":0,"repaired":false,"server":"127.0.0.1:7420","server_lost_data":false,"waiting":3}"#
    )
  }
}
