// SPDX-License-Identifier: Apache-2.0
// What each failure says to people, and which exit code it has for scripts.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestPortability
import Foundation

/// A failure as the terminal sees it. The codes are those of `sysexits.h`.
struct Failure: Equatable {
  /// Whole sentences: what happened, then what to do. Control characters of other programs' texts
  /// are made visible.
  let sentence: String
  /// Never success.
  let code: ExitCode

  /// The command line makes no sense.
  static let usage = ExitCode(64)
  /// What was named or typed cannot be used, or the replica cannot.
  static let data = ExitCode(65)
  /// The server cannot be reached.
  static let unavailable = ExitCode(69)
  /// A flaw in this program.
  static let software = ExitCode(70)
  /// The disk failed or is full.
  static let disk = ExitCode(74)
  /// Somebody else is at it; later it works.
  static let tryAgain = ExitCode(75)
  /// The server's answer made no sense.
  static let protocolError = ExitCode(76)
  /// The server does not allow it.
  static let notPermitted = ExitCode(77)

  init(_ sentence: String, _ code: ExitCode) {
    self.sentence = sentence
    self.code = code
  }

  /// The failure that an error stands for; nil for what the argument parser itself says best:
  /// usage, help, version.
  init?(_ error: any Error) {
    switch error {
    case let error as InputProblem:
      self.init(error.userMessage, Failure.code(of: error))
    case let error as ChoiceProblem:
      self.init(error.userMessage, Failure.usage)
    case let error as IDProblem:
      self.init(error.userMessage, error == .notAnID ? Failure.usage : Failure.data)
    case let error as FastingRefusal:
      self.init(error.userMessage, Failure.data)
    case let error as PairingLink.Failure:
      self.init(error.userMessage, Failure.usage)
    case let error as ReplicaError:
      self.init(error.userMessage.escapedForTerminal, Failure.code(of: error))
    case let error as SyncError:
      self.init(Failure.sentence(of: error), Failure.code(of: error))
    case let error as PortabilityError:
      self.init(error.userMessage, Failure.data)
    case let error as Failure.Thrown:
      self = error.failure
    case is EncodingError:
      self.init("The answer could not be written as JSON. Leave `--json` out.", Failure.software)
    default:
      return nil
    }
  }

  /// A failure that a command found itself.
  struct Thrown: Error {
    let failure: Failure

    init(_ sentence: String, _ code: ExitCode = Failure.data) {
      failure = Failure(sentence, code)
    }
  }

  /// The library's sentence, with what a command can do about it.
  private static func sentence(of error: SyncError) -> String {
    switch error {
    case .accessEnded:
      "This device's access was ended. What you wrote is kept here. To join again, leave with "
        + "`atrest unpair`, then pair with a new link."
    case .notPermitted(let reason):
      // The server's own sentence says what to do.
      "The server did not allow it. \(reason.escapedForTerminal.asSentence)"
    case .notLetIn:
      "This device was not let in: the other one said no, or the link's time is over. `atrest invite` "
        + "on that device makes a new link."
    case .massDeletion(let count, let of):
      SyncWords.held(HeldDeletions(count: count, of: of))
    case .notPaired, .unreachable, .untrusted, .notFound, .refused, .badAnswer, .cancelled,
      .joiningElsewhere, .replica:
      error.userMessage.escapedForTerminal
    }
  }

  private static func code(of error: InputProblem) -> ExitCode {
    switch error {
    case .notATime, .notADuration, .notAnAmount, .openWithEnd, .endMissing: usage
    case .skippedTime, .inTheFuture, .longAgo, .endBeforeStart, .fastTooLong, .amountOutOfRange,
      .ouncesOutOfRange, .targetOutOfRange:
      data
    }
  }

  private static func code(of error: ReplicaError) -> ExitCode {
    switch error {
    case .inaccessible, .damaged, .newer, .invalid, .alreadyPaired: data
    case .storage: disk
    case .busy, .pairingEnded: tryAgain
    }
  }

  private static func code(of error: SyncError) -> ExitCode {
    switch error {
    case .notPaired, .notFound, .refused, .massDeletion: data
    case .unreachable: unavailable
    case .accessEnded, .notPermitted, .notLetIn, .untrusted: notPermitted
    case .badAnswer: protocolError
    case .cancelled, .joiningElsewhere: tryAgain
    case .replica(let error): code(of: error)
    }
  }
}
