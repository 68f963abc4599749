// SPDX-License-Identifier: Apache-2.0
// What each error says to people, and which exit status it has for scripts.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestSync
import Foundation

extension CommandFailure {
  /// The failure that an error stands for in every program; nil for any other error.
  ///
  /// - Parameter program: What people type, before the names of commands.
  package init?(_ error: any Error, program: String) {
    switch error {
    case let error as InputProblem:
      self.init(error)
    case let error as IDProblem:
      self.init(error.userMessage, error == .notAnID ? .usage : .data)
    case let error as PairingLink.Failure:
      self.init(ErrorWords.sentence(of: error), .usage)
    case let error as ReplicaError:
      self.init(ErrorWords.sentence(of: error).escapedForTerminal, Self.status(of: error))
    case let error as SyncError:
      self.init(Self.sentence(of: error, program), Self.status(of: error))
    case let error as CommandFailure:
      self = error
    case is EncodingError:
      self.init(
        Language.text(
          "The answer could not be written as JSON. Leave `--json` out.",
          de: "Die Antwort ließ sich nicht als JSON schreiben. Lass `--json` weg."), .software)
    default:
      return nil
    }
  }

  /// What was typed cannot be used: a usage error if it has no accepted form.
  public init(_ problem: InputProblem) {
    self.init(problem.userMessage, Self.status(of: problem))
  }

  /// The library's sentence, with what a command can do about it.
  private static func sentence(of error: SyncError, _ program: String) -> String {
    switch error.reason {
    case .accessEnded:
      SyncWords(program).accessEnded
    case .notPermitted(let reason):
      // The server's own sentence says what to do.
      Language.text("The server did not allow it. ", de: "Der Server erlaubt es nicht. ")
        + reason.escapedForTerminal.asSentence
    case .notLetIn:
      Language.text(
        "This device was not let in: the other one said no, or the link's time is over. "
          + "`\(program) invite` on that device makes a new link.",
        de:
          "Dieses Gerät wurde nicht eingelassen: Das andere sagte nein, oder die Zeit des Links ist "
          + "um. `\(program) invite` auf jenem Gerät macht einen neuen.")
    case .massDeletion(let count, let of):
      SyncWords(program).held(HeldDeletions(count: count, of: of))
    case .notPaired, .unreachable, .untrusted, .notFound, .refused, .badAnswer, .cancelled,
      .joiningElsewhere, .replica:
      ErrorWords.sentence(of: error).escapedForTerminal
    }
  }

  private static func status(of error: InputProblem) -> ExitStatus {
    switch error {
    case .notATime, .notADuration, .notAnAmount, .ambiguousAmount, .openWithEnd, .endMissing: .usage
    case .skippedTime, .inTheFuture, .longAgo, .endBeforeStart, .fastTooLong, .amountOutOfRange,
      .ouncesOutOfRange, .targetOutOfRange:
      .data
    }
  }

  private static func status(of error: ReplicaError) -> ExitStatus {
    switch error.reason {
    case .inaccessible, .damaged, .newer, .invalid, .alreadyPaired: .data
    case .storage: .inputOutput
    case .busy, .pairingEnded: .temporary
    }
  }

  private static func status(of error: SyncError) -> ExitStatus {
    switch error.reason {
    case .notPaired, .notFound, .refused, .massDeletion: .data
    case .unreachable: .unavailable
    case .accessEnded, .notPermitted, .notLetIn, .untrusted: .notPermitted
    case .badAnswer: .protocolError
    case .cancelled, .joiningElsewhere: .temporary
    case .replica(let error): status(of: error)
    }
  }
}
