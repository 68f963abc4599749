// SPDX-License-Identifier: Apache-2.0
// `atrest-lab run`: plays scenarios of conflicting edits and shows what the devices make of them.

import ArgumentParser
import AtrestCompanion
import AtrestLab
import Foundation

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Play scenarios and compare with what they expect.",
    discussion: """
      Exits with 0 if everything is as expected, with 1 if something is not.

      With --pair the devices join the account of a running server instead, which must be empty: make \
      one with `atrest-syncd account add lab`.

      EXAMPLES:
        atrest-lab run Examples/Scenarios/same-fast-twice.yaml
        atrest-lab run --json Examples/Scenarios/*.yaml
      """)

  @Argument(help: ArgumentHelp("Scenario files.", valueName: "file")) var files: [String]
  @Option(
    help: ArgumentHelp(
      "A pairing link: play on that server instead of the lab's own.", valueName: "link"))
  var pair: String?
  @Flag(help: "Also all that devices hold, at each sync and each expectation.") var verbose =
    false
  @OptionGroup var format: FormatOptions

  func run() async throws {
    let command = self
    try await Lab.untilInterrupted { try await command.play() }
  }

  private func play() async throws {
    var ground = Player.Ground.own
    if let pair {
      guard files.count == 1 else {
        throw ValidationError("With `--pair`, one file is played: the account must be empty.")
      }
      ground = .given(try PairingLink(parsing: pair))
    }
    // All files are read first, so that an error in the last one does not surface after minutes.
    let scenarios = try files.map { ($0, try Self.read($0)) }
    var rows: [ReportRow] = []
    var failures: [String] = []
    for (index, (file, scenario)) in scenarios.enumerated() {
      let report = try await Player.play(scenario, file: file, on: ground, isVerbose: verbose)
      failures += report.failureLines
      if format.isJSON {
        rows.append(ReportRow(report))
      } else if files.count == 1 || verbose {
        Terminal.say((index > 0 ? "\n" : "") + report.text.linesEscapedForTerminal)
      } else {
        Terminal.say("\(report.isHeld ? "holds  " : "differs")  \(file.escapedForTerminal)")
      }
    }
    if format.isJSON { Terminal.say(try JSON.text(rows)) }
    for failure in failures { Terminal.writeError(failure.escapedForTerminal) }
    if !failures.isEmpty { throw ExitCode(.notAsExpected) }
  }

  /// Reads a scenario file.
  private static func read(_ path: String) throws -> Scenario {
    let text: String
    var status = stat()
    // Opening a pipe would block until somebody writes to it.
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw CommandFailure("\(path.escapedForTerminal) is not a file. Give a scenario file.")
    }
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      let data = try handle.read(upToCount: Scenario.Limits.fileBytes + 1) ?? Data()
      try handle.close()
      guard let decoded = String(validating: data, as: UTF8.self) else {
        throw CommandFailure("\(path.escapedForTerminal) is not text. Give a scenario file.")
      }
      text = decoded
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure(
        "\(path.escapedForTerminal) cannot be read. Check the path and its permissions.")
    }
    return try Scenario(parsing: text, file: path)
  }
}
