// SPDX-License-Identifier: Apache-2.0
// `atrest-lab`: the root command, and what its errors say.

import ArgumentParser
import AtrestCompanion
import AtrestLab

@main
enum Program {
  static func main() async { await Lab.runProgram() }
}

/// `atrest-lab run|random`.
///
/// A program apart from the companions, because it has a server in it. Its replicas are temporary.
struct Lab: ParsableCommand, Companion {
  static let programName = "atrest-lab"
  static let countOptions: Set = ["--devices", "--edits"]

  static let configuration = CommandConfiguration(
    commandName: programName,
    abstract: "Try conflicting edits across devices, without touching yours.",
    discussion: """
      A scenario is a small file: devices, what happens on them, and what is expected. It is played \
      with real replicas and a real server in a temporary folder, and its own clock, so a year passes \
      in a moment. docs/use/conflicts.md shows how.
      """,
    version: BuildVersion.text,
    subcommands: [RunCommand.self, RandomCommand.self])

  static func ownFailure(of error: any Error) -> CommandFailure? {
    switch error {
    case let error as ScenarioError:
      return CommandFailure(error.userMessage.escapedForTerminal)
    case let error as StepError:
      let cause =
        failure(of: error.cause) ?? CommandFailure("\(error.cause)".escapedForTerminal, .software)
      return CommandFailure(
        "\(error.file.escapedForTerminal):\(error.line): \(cause.sentence)", cause.status)
    case let error as LabError:
      let status = if case .folder = error { ExitStatus.inputOutput } else { ExitStatus.data }
      return CommandFailure(error.userMessage.escapedForTerminal, status)
    default:
      // The commands that such a sentence names are the companion's: the lab has none for devices.
      return CommandFailure(error, program: "atrest")
    }
  }

  /// Runs until done or interrupted. The temporary directory is removed either way.
  static func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await body() }
    let interruption = Interruption { task.cancel() }
    do {
      try await task.value
    } catch {
      if task.isCancelled { throw ExitCode(.interrupted) }
      throw error
    }
    withExtendedLifetime(interruption) {}
  }
}
