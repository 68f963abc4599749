// SPDX-License-Identifier: Apache-2.0
// Which number the process ends with, and how it says why.

import ArgumentParser
import AtrestHTTP2
import AtrestServer
import Foundation
import Synchronization

/// Exit statuses, as in sysexits.h.
enum ExitStatus: Int32 {
  /// The command was written wrongly.
  case usage = 64
  /// What was asked about does not exist, or is not as it should be.
  case data = 65
  /// The server is not there.
  case unavailable = 69
  /// What was asked for cannot be made.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// It may work later.
  case temporary = 75
  /// It is not allowed.
  case notPermitted = 77

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

/// Ends a command: the sentence goes to standard error.
struct Failure: Error {
  let message: String
  let status: ExitStatus

  init(_ message: String, _ status: ExitStatus) {
    self.message = message
    self.status = status
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
  var bytes = Array((line + "\n").utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else {
      printError("The answer could not be written. What was asked for is done.\n")
      endProcess(.inputOutput)
    }
    bytes = bytes.dropFirst(count)
  }
}

/// Writes to standard error in one piece. Whether anybody reads it does not matter: Foundation
/// would trap.
func printError(_ text: String) {
  _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
