// SPDX-License-Identifier: Apache-2.0
// Where a replica is in its account's feed, and where an answer leads it.

import AtrestProtocol
import AtrestReplication

/// What a replica says of itself in a request.
public struct SyncPosition: Hashable, Sendable {
  /// What it holds; nil before the first answer.
  public var cursor: Cursor?
  /// The account's head, as the newest answer told it; nil before the first answer. What was
  /// acknowledged lies before it.
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
  /// Whether the server no longer has what the asker saw. It says so itself; and a feed or a head
  /// that went back says it, too.
  func isRestart(after request: ExchangeRequest) -> Bool {
    restarted || (request.cursor?.sequence ?? 0) > cursor.sequence
      || !Mutation.headNotSent.isActive
        && (request.lastKnownHead?.sequence ?? 0) > head.sequence
  }

  /// What the asker holds with this answer: after a restart the head, because what it then lacks is
  /// found by comparing.
  func cursor(afterRestart isRestart: Bool) -> Cursor { isRestart ? head : cursor }
}

extension ReplicaState {
  /// Whether another sync that shares this replica was told of another head since a request was
  /// made. The server that answered it was not asked about that one, and may have been put back
  /// from before it: its answer is as good as lost.
  func hasOvertaken(_ answer: ExchangeResponse, to request: ExchangeRequest) -> Bool {
    guard let known = lastKnownHead, !Mutation.overtakenStored.isActive else { return false }
    return known != request.lastKnownHead ?? request.cursor && known != answer.head
  }

  /// Moves to where an answer leads; the cursor only if no other sync that shares this replica has
  /// moved it meanwhile.
  mutating func advance(by answer: ExchangeResponse, to request: ExchangeRequest) {
    if cursor == request.cursor {
      cursor = answer.cursor(afterRestart: answer.isRestart(after: request))
    }
    lastKnownHead = answer.head
  }
}
