// SPDX-License-Identifier: Apache-2.0
// The bounds of one connection.

/// What one connection holds at most, and how long it waits.
package struct PostgresLimits: Sendable {
  /// Batches that were not answered yet, sent or waiting. More are refused: a queue that long hides
  /// a server that has become too slow.
  package var batches = 256
  /// Statements and parameters of these batches, in bytes. More than one request can write: 1,000
  /// records of 64 KiB, and as many journal entries.
  package var queuedBytes = 192 << 20
  /// Rows of one batch's answer, in bytes. Beyond it the connection is closed, because the rest of
  /// the answer would have to be read otherwise. Rows are taken one by one, so what libpq holds
  /// besides is one row: the tables bound what is written to their rows.
  package var resultBytes = 64 << 20
  /// From when a batch is handed over until it is answered. Longer than the session's
  /// `statement_timeout`: the server ends what is slow, and this what is dead.
  package var batchDeadline: Duration = .seconds(30)
  /// How much longer a COMMIT has to answer that its wait for a standby was cut short.
  package var cancelDeadline: Duration = .seconds(5)
  /// For each address of the server, from the first packet to the checked session.
  package var connectDeadline: Duration = .seconds(5)
  /// How much longer an address that has said nothing has when another one has a primary: a host
  /// that hangs must not be waited for.
  package var silentGrace: Duration = .milliseconds(250)
  /// The same of one that has said something: it may be the newer primary, farther away, or a pool
  /// whose server hangs.
  package var slowGrace: Duration = .seconds(2)
  /// Addresses that are tried, over all hosts.
  package var addresses = 16

  package init() {}
}
