// SPDX-License-Identifier: Apache-2.0
// A replica's position in its account's feed, and how an answer moves it.

import AtrestReplication
import AtrestWire

/// The position and credential that a replica shows in a request.
package struct SyncPosition: Hashable, Sendable {
  /// The end of what the replica has; nil before the first answer.
  package var cursor: Cursor?
  /// The head that the server told last; nil if the replica is there.
  package var head: Cursor?
  /// The secret of its identity; nil if the transport has its own.
  package var credential: String?

  /// Creates a position; nil before the first answer.
  package init(cursor: Cursor? = nil, head: Cursor? = nil, credential: String? = nil) {
    self.cursor = cursor
    self.head = head == cursor ? nil : head
    self.credential = credential
  }
}

extension ExchangeResponse {
  /// Whether the server lost what this replica had seen: it says so, or its feed went back.
  package func isRestart(after request: ExchangeRequest) -> Bool {
    restarted || (request.cursor?.sequence ?? 0) > cursor.sequence
  }

  /// The cursor after this answer. After a restart it is the head, because missing records are
  /// found by reconciling.
  package func cursor(afterRestart isRestart: Bool) -> Cursor { isRestart ? head : cursor }
}
