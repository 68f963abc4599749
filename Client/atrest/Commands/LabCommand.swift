// SPDX-License-Identifier: Apache-2.0
// `atrest lab`: plays scenarios of conflicting edits and shows what the devices make of them.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestLab
import Dispatch
import Foundation

/// `atrest lab run|random`.
struct LabCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lab", abstract: "Try conflicting edits across devices, without touching yours.",
    discussion: """
      A scenario is a small file: devices, what happens on them, and what is expected. It is played \
      with real replicas and a real server in a temporary folder, and its own clock, so a year passes \
      in a moment. docs/use/conflicts.md shows how.
      """,
    subcommands: [Run.self, Random.self])

  /// Reads a scenario file.
  static func read(_ path: String) throws -> Scenario {
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

  /// Runs until done or interrupted. The temporary directory is removed either way.
  static func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await body() }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)  // The dispatch source below receives it instead.
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { task.cancel() }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    do {
      try await task.value
    } catch {
      if task.isCancelled { throw ExitCode(.interrupted) }
      throw translated(error)
    }
  }

  /// Maps an error of the lab to a `Failure` like those of other commands.
  static func translated(_ error: any Error) -> any Error {
    switch error {
    case let error as ScenarioError: return CommandFailure(error.userMessage.escapedForTerminal)
    case let error as StepError:
      let cause = translated(error.cause)
      guard let failure = Atrest.failure(of: cause) else { return cause }
      return CommandFailure(
        "\(error.file.escapedForTerminal):\(error.line): \(failure.sentence)", failure.status)
    case let error as LabError:
      let code = if case .folder = error { ExitStatus.inputOutput } else { ExitStatus.data }
      return CommandFailure(error.userMessage.escapedForTerminal, code)
    default: return error
    }
  }

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run", abstract: "Play scenarios and compare with what they expect.",
      discussion: """
        Exits with 0 if everything is as expected, with 1 if something is not.

        With --pair the devices join the account of a running server instead, which must be empty: make \
        one with `atrest-syncd account add lab`.

        EXAMPLES:
          atrest lab run Examples/Scenarios/same-fast-twice.yaml
          atrest lab run --json Examples/Scenarios/*.yaml
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
      try await LabCommand.untilInterrupted { try await command.play() }
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
      let scenarios = try files.map { ($0, try LabCommand.read($0)) }
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
  }
}
