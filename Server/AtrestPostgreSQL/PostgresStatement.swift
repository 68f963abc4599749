// SPDX-License-Identifier: Apache-2.0
// What is asked of a server in one trip, and its answers. Pure.

/// A statement that a session prepares once, when it opens.
///
/// Statements of the hot path are prepared, because parsing and planning one costs about as much as
/// running it for a few rows. They are prepared at the opening and not at the first use: a first
/// use that fails, in the middle of a pipeline, would leave later batches without the statement.
/// What runs once is sent unnamed. PgBouncer in transaction mode passes prepared statements on from
/// 1.21, but forgets the settings of the session, so a server is reached directly or through
/// PgBouncer in session mode.
package struct PreparedStatement: Hashable, Sendable {
  package let name: String
  package let sql: String
  package let parameters: [PostgresType]

  /// - Parameters:
  ///   - name: 1 to 63 letters, digits and underscores, unique in the session.
  ///   - sql: One statement, with parameters `$1`, `$2`…
  ///   - parameters: The parameters' types, in order.
  package init(name: String, sql: String, parameters: [PostgresType]) {
    precondition(PostgresName.isPlain(name), "a name of a statement")
    self.name = name
    self.sql = sql
    self.parameters = parameters
  }
}

/// One statement with its parameters.
package struct PostgresStatement: Sendable {
  enum Text: Sendable {
    case unnamed(String)
    case prepared(PreparedStatement)
    /// Prepares the statement instead of running it.
    case preparation(PreparedStatement)
  }

  /// The protocol counts parameters in 16 bits. Many rows are arrays.
  private static let parameterLimit = 65_535

  let text: Text
  let parameters: [PostgresValue]
  /// The server must answer it with this word; COMMIT of a transaction that failed says ROLLBACK.
  var expectedCommand: String?

  /// One statement of SQL, with parameters `$1`, `$2`… Values never belong into its text.
  package init(_ sql: String, _ parameters: [PostgresValue] = []) {
    self.init(text: .unnamed(sql), parameters: parameters)
  }

  /// A statement that the session has prepared.
  package init(_ prepared: PreparedStatement, _ parameters: [PostgresValue] = []) {
    self.init(text: .prepared(prepared), parameters: parameters)
  }

  private init(text: Text, parameters: [PostgresValue], expectedCommand: String? = nil) {
    precondition(parameters.count <= Self.parameterLimit, "too many parameters")
    self.text = text
    self.parameters = parameters
    self.expectedCommand = expectedCommand
  }

  static func preparing(_ prepared: PreparedStatement) -> PostgresStatement {
    PostgresStatement(text: .preparation(prepared), parameters: [])
  }

  static let commit = PostgresStatement(
    text: .unnamed("COMMIT"), parameters: [], expectedCommand: "COMMIT")

  var byteCount: Int {
    let length =
      switch text {
      case .unnamed(let sql): sql.utf8.count
      case .prepared(let statement): statement.name.utf8.count
      case .preparation(let statement): statement.sql.utf8.count
      }
    return parameters.reduce(length + 64) { $0 + 12 + $1.byteCount }
  }
}

/// Statements that are sent together and end with one Sync: an error skips those after it.
package struct PostgresBatch: Sendable {
  package let statements: [PostgresStatement]
  /// Whether a lost answer leaves open if something became durable.
  let mayCommit: Bool

  /// A batch outside of transactions, or a transaction of its own: the server commits it at its
  /// end. A statement that commits by itself must be the last one.
  /// - Parameters:
  ///   - statements: At least one.
  ///   - changes: False if the statements change nothing, so that repeating them is always right.
  package init(_ statements: [PostgresStatement], changes: Bool = true) {
    self.init(statements: statements, mayCommit: changes)
  }

  init(statements: [PostgresStatement], mayCommit: Bool) {
    precondition(!statements.isEmpty, "an empty batch")
    self.statements = statements
    self.mayCommit = mayCommit
  }

  var byteCount: Int { statements.reduce(0) { $0 + $1.byteCount } }
}

/// The answer to one statement.
package struct PostgresResult: Equatable, Sendable {
  package var rows: [[PostgresValue]] = []
  /// The server's word for what it did, such as `INSERT 0 3` or `COMMIT`.
  package var command = ""

  /// How many rows the statement touched or gave; 0 for statements without rows.
  package var count: Int { command.split(separator: " ").last.flatMap { Int($0) } ?? 0 }
}

enum PostgresName {
  /// Letters, digits and underscores: what needs no quoting rules of ours.
  static func isPlain(_ name: String) -> Bool {
    (1...63).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
      }
  }
}
