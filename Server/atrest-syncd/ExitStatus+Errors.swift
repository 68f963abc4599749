// SPDX-License-Identifier: Apache-2.0
// Exit statuses and error output of the process.

import AtrestCommandLine
import AtrestHTTP2
import AtrestServer
import Foundation
import Synchronization

extension ExitStatus {
  init(_ error: ServerError) {
    switch error {
    case .notLoopback, .pathTooLong: self = .usage
    case .certificate(let error): self = error.passes ? .unavailable : .usage
    case .socket: self = .unavailable
    case .store(let error): self.init(error)
    }
  }

  init(_ error: StoreError) {
    switch error {
    case .inUse, .closed, .notAwaited, .unavailable, .busy, .moving: self = .unavailable
    case .newerVersion, .olderVersion, .unfinishedCopy, .notAStore, .damaged, .hasMoves:
      self = .data
    case .wrongCell: self = .usage
    case .cannotOpen: self = .cannotCreate
    case .full, .inputOutput, .commitUnknown, .outcomeUnknown, .failed, .notLoaded:
      self = .inputOutput
    }
  }

  init(_ error: ArchiveCopyError) {
    switch error {
    case .source(let error), .target(let error): self.init(error)
    case .sameStore: self = .usage
    case .notEmpty, .otherCopy: self = .cannotCreate
    case .differs: self = .data
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

func endProcess(_ status: ExitStatus) -> Never {
  _exit(status.rawValue)
}

/// A flag that can be raised once. Thread-safe.
final class StopFlag: Sendable {
  private let isRaised = Atomic(false)

  /// Raises the flag. True if it was raised before.
  func raise() -> Bool {
    isRaised.exchange(true, ordering: .relaxed)
  }
}

/// Prints a line and flushes it, so that a waiting script gets it at once.
///
/// A failed write must not look like success: it could lose a pairing link, for example.
func printLine(_ line: String) {
  guard StandardStream.write(line + "\n", to: STDOUT_FILENO) == 0 else {
    printError(
      "The answer could not be written. What was to be changed is changed; look again where there is room.\n"
    )
    endProcess(.inputOutput)
  }
}

/// Writes to standard error in a single write. Ignores write errors, where Foundation would trap.
func printError(_ text: String) {
  _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
