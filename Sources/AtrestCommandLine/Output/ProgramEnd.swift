// SPDX-License-Identifier: Apache-2.0
// Ends a program with what the argument parser says.

import ArgumentParser

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension ParsableArguments {
  /// Prints what an error says, which help and versions are, too, and ends the process. The
  /// parser's own `exit(withError:)` succeeds where the help could not be written.
  package static func endProgram(by error: any Error) -> Never {
    let (text, code) = (fullMessage(for: error), exitCode(for: error))
    let isAnswer = code == .success
    let stream = isAnswer ? STDOUT_FILENO : STDERR_FILENO
    let failure = text.isEmpty ? 0 : StandardStream.write(text + "\n", to: stream)
    // A reader that closes the pipe early, as `head` does, has what it wants.
    guard !isAnswer || failure == 0 || failure == EPIPE else {
      _ = StandardStream.write("This could not be written.\n", to: STDERR_FILENO)
      endProcess(ExitStatus.inputOutput.rawValue)
    }
    endProcess(code.rawValue)
  }
}

/// The system's `exit`, which a method of that name hides.
private func endProcess(_ status: Int32) -> Never { exit(status) }
