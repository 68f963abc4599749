// SPDX-License-Identifier: Apache-2.0
// Where a replica is in its account's feed, and where an answer leads it.

import SyncProtocol

/// What a replica says of itself in a request.
public struct SyncPosition: Hashable, Sendable {
  /// What it holds; nil before the first answer.
  public var cursor: Cursor?
  /// The account's head, as the newest answer told it; nil before the first answer. What was acknowledged lies before it.
  public var lastKnownHead: Cursor?
  /// The secret that stands for its identity; nil if the transport has its own.
  public var credential: String?

  /// A position.
  public init(cursor: Cursor? = nil, lastKnownHead: Cursor? = nil, credential: String? = nil) {
    self.cursor = cursor
    self.lastKnownHead = lastKnownHead
    self.credential = credential
  }
}

extension ExchangeResponse {
  /// Whether the server no longer has what the asker saw. It says so itself; and a feed or a head that went back says it, too.
  func isRestart(after request: ExchangeRequest) -> Bool {
    restarted || (request.cursor?.sequence ?? 0) > cursor.sequence
      || (request.lastKnownHead?.sequence ?? 0) > head.sequence
  }

  /// What the asker holds with this answer: after a restart the head, because what it then lacks is found by comparing.
  func cursor(afterRestart isRestart: Bool) -> Cursor { isRestart ? head : cursor }
}

extension ReplicaState {
  /// Moves to where an answer leads, unless another sync that shares this replica has moved it elsewhere meanwhile: which of the two
  /// is further is not known where the server was put back in between. The next sync goes on from there.
  ///
  /// - Returns: Whether the head that is now the last known one hides another that the server may have lost since.
  mutating func advance(by answer: ExchangeResponse, to request: ExchangeRequest) -> Bool {
    if cursor == request.cursor {
      cursor = answer.cursor(afterRestart: answer.isRestart(after: request))
    }
    guard let known = lastKnownHead, known != request.lastKnownHead ?? request.cursor,
      known != answer.head
    else {
      lastKnownHead = answer.head
      return false
    }
    if known.sequence < answer.head.sequence { lastKnownHead = answer.head }
    return true
  }
}
