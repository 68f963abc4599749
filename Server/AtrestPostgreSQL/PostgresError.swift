// SPDX-License-Identifier: Apache-2.0
// Why a batch or a connection failed, and what that says about the transaction.

/// A failure at the database.
///
/// No message holds values. PostgreSQL puts them into DETAIL and CONTEXT, which are never read, and
/// into the message itself for wrong data, which is then replaced by the SQLSTATE alone.
package struct PostgresError: Error, Equatable, Sendable {
  /// What the failure says about the transaction, and so what its caller does next.
  package enum Meaning: Equatable, Sendable {
    /// The transaction happened, or did not: its answer was lost after its end was sent. Whoever
    /// repeats it must find out, or be harmless.
    case unknown
    /// It did not happen, because of another transaction. Repeat it on this connection.
    case conflict
    /// It did not happen, because of the connection or the server. Repeat it on another connection.
    case connectionLost
    /// It did not happen: the connection or the server has too much to do. Repeat it later.
    case busy
    /// It did not happen: the database's disk is full.
    case diskFull
    /// The server, or its address, is not one that may be used. Only its owner can change that.
    case refused
    /// It did not happen, and would not if it were repeated: a statement is wrong.
    case failed
    /// It did not happen: this side closed the connection.
    case closed
  }

  private enum Kind: Equatable {
    case unknown(cause: String)
    case server(ServerFailure)
    case lost(reason: String)
    case busy(reason: String)
    case refused(reason: String)
    case failed(reason: String)
    case closed
  }

  private let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  static let closed = PostgresError(.closed)
  package static func lost(_ reason: String) -> PostgresError {
    PostgresError(.lost(reason: reason))
  }
  /// A server that hangs, or cannot be reached without being told so.
  package static let noAnswer = lost("no answer in time")
  static func busy(_ reason: String) -> PostgresError { PostgresError(.busy(reason: reason)) }
  static func refused(_ reason: String) -> PostgresError { PostgresError(.refused(reason: reason)) }
  static func failed(_ reason: String) -> PostgresError { PostgresError(.failed(reason: reason)) }
  static func server(_ failure: ServerFailure) -> PostgresError { PostgresError(.server(failure)) }
  /// What a server answers.
  package static func answer(sqlState: String, _ message: String) -> PostgresError {
    .server(ServerFailure(sqlState: sqlState, isFatal: false, message: message))
  }
  package static func unknown(after cause: PostgresError) -> PostgresError {
    PostgresError(.unknown(cause: cause.reason))
  }

  /// What the failure says about the transaction.
  package var meaning: Meaning {
    switch kind {
    case .unknown: .unknown
    case .server(let failure): failure.meaning
    case .lost: .connectionLost
    case .busy: .busy
    case .refused: .refused
    case .failed: .failed
    case .closed: .closed
    }
  }

  /// PostgreSQL's five characters for the failure; nil if this side found it.
  package var sqlState: String? {
    if case .server(let failure) = kind { failure.sqlState } else { nil }
  }

  /// What happened, without advice.
  package var reason: String {
    switch kind {
    case .unknown(let reason), .lost(let reason), .busy(let reason), .refused(let reason),
      .failed(let reason):
      reason
    case .server(let failure): failure.description
    case .closed: "the connection was closed here"
    }
  }

  /// The message for the owner: what happened, then what to do.
  package var userMessage: String {
    switch meaning {
    case .unknown:
      "The answer of a COMMIT was lost (\(reason)). It may have happened; devices send again what "
        + "was not confirmed to them."
    case .conflict: "Two transactions were in each other's way (\(reason)). It is tried again."
    case .connectionLost:
      "The database cannot be reached (\(reason)). Check that it runs and takes connections; "
        + "work goes on by itself then."
    case .busy: "The database is too slow for what is asked of it (\(reason)). Try again later."
    case .diskFull:
      "There is no room left on the database's disk. Nothing was lost. Free some space; writing "
        + "then goes on."
    case .refused: "The database is not used: \(reason)."
    case .failed:
      "The database refused a statement (\(reason)). Nothing was changed. Please report this."
    case .closed: "The connection to the database is closed: the server is stopping."
    }
  }
}

extension PostgresError: CustomStringConvertible {
  /// Equals `userMessage`.
  package var description: String { userMessage }
}

/// An error that the server answered.
struct ServerFailure: Error, Equatable, CustomStringConvertible {
  let sqlState: String
  /// The session has ended with it (FATAL or PANIC), and not just the statement.
  let isFatal: Bool
  private let message: String?

  /// Classes of SQLSTATEs whose messages name the statement's own words and objects, never values.
  private static let describedClasses: Set<Substring> = [
    "08", "25", "26", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58",
  ]

  init(sqlState: String, isFatal: Bool, message: String) {
    self.sqlState = sqlState
    self.isFatal = isFatal
    self.message =
      Self.describedClasses.contains(sqlState.prefix(2)) ? PostgresText.line(message) : nil
  }

  var meaning: PostgresError.Meaning {
    switch sqlState {
    // Serialization failure, deadlock. A row whose key somebody else has taken: statements look
    // first, so whoever runs again finds it.
    case "40001", "40P01", "23505": .conflict
    // The server's own words for an outcome that it does not know.
    case "08007", "40003": .unknown
    // Shutdown, crash, starting up, idle too long.
    case "57P01", "57P02", "57P03", "57P05": .connectionLost
    // Too many connections; a transaction that idled or lasted too long ended its session.
    case "53300", "25P03", "25P04": .connectionLost
    // Read-only: a primary that was demoted, or a standby. Another connection finds the primary.
    case "25006": .connectionLost
    case "53100": .diskFull
    // A statement or a lock took too long; no memory. The connection goes on.
    case "57014", "55P03", "53200": .busy
    case let state where state.hasPrefix("08"): .connectionLost
    default: .failed
    }
  }

  var description: String {
    message.map { "\($0), SQLSTATE \(sqlState)" } ?? "SQLSTATE \(sqlState)"
  }
}

enum PostgresText {
  /// The text on one line, at most 200 characters, for a message.
  static func line(_ text: String) -> String {
    let words = text.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
    return words.count <= 200 ? words : words.prefix(200) + "…"
  }
}
