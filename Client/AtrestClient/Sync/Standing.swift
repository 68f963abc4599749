// SPDX-License-Identifier: Apache-2.0
// Where a replica stands in an account's feed, and where an answer leads it.

import SyncProtocol

/// What a replica says of itself in a request.
public struct Standing: Hashable, Sendable {
  /// What it holds; nil before the first answer.
  public var cursor: Cursor?
  /// The account's head, as the newest answer told it; nil before the first answer. What was acknowledged lies before it.
  public var seen: Cursor?
  /// The secret that stands for its identity; nil if the transport has its own.
  public var credential: String?

  /// A standing.
  public init(cursor: Cursor? = nil, seen: Cursor? = nil, credential: String? = nil) {
    self.cursor = cursor
    self.seen = seen
    self.credential = credential
  }
}

extension ExchangeResponse {
  /// Whether the server no longer has what the asker had seen. It says so itself; and a feed or a head that went back says it too, because
  /// sequences go on from one life of a store to the next.
  ///
  /// - Parameters:
  ///   - cursor: The cursor of the request.
  ///   - seen: The head that the request told.
  func isRestart(after cursor: Cursor?, seen: Cursor?) -> Bool {
    restarted || (cursor?.sequence ?? 0) > self.cursor.sequence || (seen?.sequence ?? 0) > head
  }

  /// The head that this answer tells.
  var headPlace: Cursor { Cursor(epoch: cursor.epoch, sequence: head) }

  /// Where the asker stands with this answer: after a restart at the head, because what it then lacks is found by comparing.
  func place(afterRestart isRestart: Bool) -> Cursor { isRestart ? headPlace : cursor }
}

extension ReplicaState {
  /// Moves to where an answer leads, unless another sync that shares this replica has moved it elsewhere meanwhile.
  ///
  /// - Parameters:
  ///   - request: Where the replica stood when it asked.
  ///   - isRestart: See `ExchangeResponse.isRestart`.
  mutating func advance(
    by answer: ExchangeResponse, from request: Standing, isRestart: Bool
  ) {
    let place = answer.place(afterRestart: isRestart)
    if cursor == request.cursor {
      cursor = place
    } else if let held = cursor, held.epoch == place.epoch {
      let start = isRestart ? 0 : request.cursor?.sequence ?? 0
      if start <= held.sequence, held.sequence < place.sequence { cursor = place }
    }
    let head = answer.headPlace
    if seen == request.seen || seen == nil {
      seen = head
    } else {
      see(head, from: request.seen)
    }
  }

  /// Notes a head that was told to another standing than this one.
  ///
  /// - Parameter asked: What the asker had seen. The head's epoch comes after that of this place.
  mutating func see(_ head: Cursor, from asked: Cursor?) {
    guard let held = seen else {
      seen = head
      return
    }
    if held.epoch == head.epoch {
      if held.sequence < head.sequence { seen = head }
    } else if held.epoch == asked?.epoch {
      seen = head
    }
  }
}
