// SPDX-License-Identifier: Apache-2.0
// `doctor`: compares this device with the server and repairs differences.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import Foundation

/// `doctor [--check]`: compares this device with the server, and repairs differences.
public struct DoctorCommand<Program: Companion>: AsyncParsableCommand {
  /// Its name and help.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "doctor",
      abstract: "See whether this device and the server hold the same, and mend what differs.",
      discussion: """
        Reads everything that is kept here, then compares it with the server: a few hundred bytes if nothing \
        differs. Records that differ are merged as in every sync, so nothing is lost on either side.

        Exit code 1 means that `--check` found differences, or that some could not be mended.

        EXAMPLES:
          \(Program.programName) doctor
          \(Program.programName) doctor --check
        """)
  }

  @Flag(help: "Only look; change nothing here and nothing on the server.") var check = false
  @OptionGroup var options: ReplicaOptions<Program>
  @OptionGroup var format: FormatOptions

  /// The command without options.
  public init() {}

  private var words: DoctorWords { DoctorWords(program: Program.programName) }

  /// Compares, repairs unless told only to look, and says what it found.
  ///
  /// - Throws: `ExitCode` 1 if something still differs; `SyncError`, `ReplicaError`.
  public func run() async throws {
    guard let replica = try options.openExisting() else {
      let report = DoctorReport()
      return try format.answer(report, words.verdict(report))
    }
    let status = try replica.status()
    var report = DoctorReport(records: try replica.examine(), status: status)
    say(words.here(report))
    if report.paired {
      report.found(
        try await compare(replica), hasSynced: status.lastSync != nil, Program.recordWords)
      say(words.there(report))
      if !check, report.differing > 0 {
        try await repair(replica, &report)
      }
    }
    if format.isJSON {
      Terminal.say(try JSON.text(report))
    } else {
      Terminal.say(words.verdict(report))
    }
    if !report.isWell { throw ExitCode(.notAsExpected) }
  }

  /// Prints findings before the server is contacted, because it may be unreachable.
  private func say(_ lines: [String]) {
    if !format.isJSON { Terminal.say(lines.joined(separator: "\n")) }
  }

  private func compare(_ replica: Replica) async throws -> Differences {
    Terminal.progress(
      Language.text("comparing with the server", de: "wird mit dem Server verglichen"))
    defer { Terminal.progress("") }
    return try await replica.compare()
  }

  private func repair(_ replica: Replica, _ report: inout DoctorReport) async throws {
    Terminal.progress(
      Language.text("mending what differs", de: "was abweicht, wird zusammengeführt"))
    defer { Terminal.progress("") }
    report.repaired(try await replica.repair(), left: try await replica.compare())
  }
}
