// SPDX-License-Identifier: Apache-2.0
// The entry point of a program: runs a command and maps an error to a sentence and an exit status.

import ArgumentParser
import AtrestCommandLine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Companion {
  /// Runs the command that the process's arguments name, and closes the replicas that it opened.
  ///
  /// Returns if the command worked. Otherwise the sentence is on standard error, and the process
  /// ends with the status of the failure. Call it first of all: it sets what must be set before
  /// another thread starts.
  ///
  /// Commands run on the main thread. Its heap grows in large steps; glibc grows that of any other
  /// thread page by page, which takes a program that reads many records a twentieth of its time.
  @MainActor public static func runProgram() async {
    // A reader that closes the pipe early, as `head` does, is not an error.
    signal(SIGPIPE, SIG_IGN)
    TerminalWidth.widenHelp()
    do {
      let arguments = NegativeNumbers.asValues(try ProgramArguments.typed(), counts: countOptions)
      if let sentence = MistypedCommand.sentence(arguments, of: Self.self) {
        throw CommandFailure(sentence, .usage)
      }
      var command = try parseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      await OpenReplicas.close()
    } catch {
      await OpenReplicas.close()
      guard let failure = failure(of: error) else { endProgram(by: error) }
      end(by: failure)
    }
  }

  /// What an error says to people, and the exit status that it has for scripts; nil for what the
  /// argument parser itself says best: usage, help, version.
  public static func failure(of error: any Error) -> CommandFailure? {
    ownFailure(of: error) ?? CommandFailure(error, program: programName)
  }
}

/// Ends the process.
private func end(by failure: CommandFailure) -> Never {
  Terminal.writeError(failure.sentence)
  exit(failure.status.rawValue)
}
