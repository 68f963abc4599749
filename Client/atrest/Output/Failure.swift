// SPDX-License-Identifier: Apache-2.0
// Maps each failure to a sentence for people and an exit code for scripts.

import ArgumentParser
import AtrestClient
import AtrestDomain
import AtrestPortability
import Foundation

/// A failure as the terminal shows it. The codes are those of `sysexits.h`.
struct Failure: Equatable {
  /// Whole sentences: what happened, then what to do. Control characters in foreign text are
  /// escaped.
  let sentence: String
  /// The exit code; never success.
  let code: ExitCode

  /// The command line is invalid.
  static let usage = ExitCode(64)
  /// Input data or the replica cannot be used.
  static let data = ExitCode(65)
  /// The server is unreachable.
  static let unavailable = ExitCode(69)
  /// A bug in this program.
  static let software = ExitCode(70)
  /// The disk failed or is full.
  static let disk = ExitCode(74)
  /// A resource is in use; a later attempt may work.
  static let tryAgain = ExitCode(75)
  /// The server broke the protocol.
  static let protocolError = ExitCode(76)
  /// The server denied permission.
  static let notPermitted = ExitCode(77)

  init(_ sentence: String, _ code: ExitCode) {
    self.sentence = sentence
    self.code = code
  }

  /// The failure for an error; nil for errors that the argument parser reports itself: usage, help,
  /// version.
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

  /// A failure detected by a command.
  struct Thrown: Error {
    let failure: Failure

    init(_ sentence: String, _ code: ExitCode = Failure.data) {
      failure = Failure(sentence, code)
    }
  }

  /// The library's sentence with the command that helps.
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
