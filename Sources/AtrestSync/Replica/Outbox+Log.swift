// SPDX-License-Identifier: Apache-2.0
// The outbox as a log: numbers issued once, and the tokens by which a replica recognises its own
// past.

import AtrestReplication
import AtrestWire

/// A replica draws a token whenever it issues or withdraws numbers, and stores it with the greatest
/// number issued by then. A server position (number, token) is in this replica's past if the
/// replica has that token and had issued that number. A copy that went on has drawn other tokens.
///
/// A row is two small integers. Each sync that sends something new adds one; retries add none.
extension Outbox {
  /// The most tokens kept, about a megabyte. If a server is restored to a position older than all
  /// of them, it takes the replica for a copy. The replica then gets a new identity and loses
  /// nothing.
  private static var tokenLimit: Int { 50_000 }

  /// Whether a server position is in this replica's past.
  package func isInPast(_ position: OutboxPosition) throws(ReplicaError) -> Bool {
    if position.token == 0 { return true }
    guard position.number <= OutboxSegment.lastNumber else { return false }
    return try tables.hasToken(atOrAfter: position)
  }

  /// Numbers the oldest unnumbered entries and draws a token for them. Both must be durable before
  /// the entries are sent.
  ///
  /// - Parameter sequences: The entries, in the order in which they are to be sent.
  func number(_ sequences: [Int64]) throws(ReplicaError) {
    for sequence in sequences {
      tables.state.lastNumber += 1
      try tables.setNumber(tables.state.lastNumber, at: sequence)
    }
    try drawToken()
  }

  /// Invalidates the numbers of sent entries by drawing a new token. The server does not judge a
  /// request in flight with older tokens once it has seen the new one.
  func noteNumbersWithdrawn() throws(ReplicaError) {
    // Skips a number, because each token is stored under a number of its own.
    tables.state.lastNumber += 1
    try drawToken()
  }

  private func drawToken() throws(ReplicaError) {
    let token = nonce()
    try tables.insertToken(OutboxPosition(number: tables.state.lastNumber, token: token))
    // Counting all tokens is slow, so prune only now and then.
    if token & 0xFFF == 0 { try tables.removeTokens(butNewest: Self.tokenLimit) }
  }

  /// Whether the server took an entry, and has not gone back since.
  func isTaken(_ number: UInt64?) -> Bool {
    number.map { $0 <= tables.state.takenThrough.number } ?? false
  }

  /// Removes the entries that the server took. Those of a record stay while this replica has to
  /// give the server back what that lost of it: the write that beat them may be among that.
  func removeTaken() throws(ReplicaError) {
    try tables.removeOutboxRows(numberedThrough: tables.state.takenThrough.number)
  }

  /// Starts a log that no server knows, under a new identity.
  package func restartLog() throws(ReplicaError) {
    try tables.removeNumbers()
    try tables.removeTokens(butNewest: 0)
    tables.state.takenThrough = .start
  }
}
