// SPDX-License-Identifier: Apache-2.0
// Which number the process ends with, and how it says why.

import AtrestCommandLine
import AtrestHTTP2
import AtrestServer
import Foundation
import Synchronization

extension ExitStatus {
  init(_ error: ServerError) {
    switch error {
    case .notLoopback, .pathTooLong, .certificate: self = .usage
    case .socket: self = .unavailable
    case .store(let error): self.init(error)
    }
  }

  init(_ error: StoreError) {
    switch error {
    case .inUse, .closed, .notAwaited: self = .unavailable
    case .newerVersion, .notAStore, .damaged: self = .data
    case .cannotOpen: self = .cannotCreate
    case .full, .inputOutput, .commitUnknown, .failed: self = .inputOutput
    }
  }

  init(_ error: BackupError) {
    switch error {
    case .exists, .holdsStore: self = .cannotCreate
    case .cannotWrite, .full: self = .inputOutput
    case .cannotRead, .notABackup, .newerVersion, .unfinished, .damaged, .changed, .notAChecksum,
      .checksumOfAnother:
      self = .data
    case .store(let error): self.init(error)
    case .interrupted: self = .unavailable
    }
  }

  init(_ code: StatusCode) {
    switch code {
    case .unavailable, .deadlineExceeded, .cancelled, .unimplemented: self = .unavailable
    case .alreadyExists: self = .cannotCreate
    case .permissionDenied, .unauthenticated: self = .notPermitted
    case .resourceExhausted, .aborted: self = .temporary
    case .invalidArgument: self = .usage
    case .notFound, .failedPrecondition, .outOfRange: self = .data
    case .ok, .unknown, .internal, .dataLoss: self = .inputOutput
    }
  }
}

/// Ends the process at once.
func endProcess(_ status: ExitStatus) -> Never {
  _exit(status.rawValue)
}

/// Raised once.
final class StopFlag: Sendable {
  private let isRaised = Atomic(false)

  /// Whether it was raised before.
  func raise() -> Bool {
    isRaised.exchange(true, ordering: .relaxed)
  }
}

/// Prints a line and lets it go at once, so that a script that waits for it need not wait for more.
///
/// An answer that could not be written must not look like success: a pairing link, say, is then
/// lost.
func printLine(_ line: String) {
  guard StandardStream.write(line + "\n", to: STDOUT_FILENO) == 0 else {
    printError("The answer could not be written. What was asked for is done.\n")
    endProcess(.inputOutput)
  }
}

/// Writes to standard error in one piece. Whether anybody reads it does not matter: Foundation
/// would trap.
func printError(_ text: String) {
  _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
