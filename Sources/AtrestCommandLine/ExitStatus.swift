// SPDX-License-Identifier: Apache-2.0
// Which number a process ends with: the only list, for all programs.

import ArgumentParser

/// Exit statuses. From 64 on they are those of sysexits.h.
public enum ExitStatus: Int32, Sendable {
  /// The command worked, and what it looked into is not as it should be.
  case notAsExpected = 1
  /// The command was written wrongly.
  case usage = 64
  /// What was named or typed does not exist, or cannot be used as it is.
  case data = 65
  /// The server cannot be reached.
  case unavailable = 69
  /// A flaw in the program.
  case software = 70
  /// What was asked for cannot be made.
  case cannotCreate = 73
  /// Reading or writing failed, or the disk is full.
  case inputOutput = 74
  /// It may work later.
  case temporary = 75
  /// The peer's answer made no sense.
  case protocolError = 76
  /// It is not allowed.
  case notPermitted = 77
  /// SIGINT ended it: 128 and the signal's number, as shells have it.
  case interrupted = 130
}

extension ExitCode {
  /// What the argument parser ends a command with.
  public init(_ status: ExitStatus) {
    self.init(status.rawValue)
  }
}
