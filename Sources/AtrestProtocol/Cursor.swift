// SPDX-License-Identifier: Apache-2.0
// A position in an account's feed.

import CAtrestProtos

/// A position in an account's feed. Sequences are the server's, in the order of its commits; client
/// clocks play no part.
public struct Cursor: Hashable, Sendable {
  /// The random name of the commit that gave the sequence; 0 before the first.
  public let commit: UInt64
  /// Everything up to here is held; 0 before the first.
  public let sequence: UInt64

  /// A position.
  public init(commit: UInt64, sequence: UInt64) {
    self.commit = commit
    self.sequence = sequence
  }

  /// Before the first commit.
  public static let start = Cursor(commit: 0, sequence: 0)

  init(_ message: Atrest__Sync__V1__Cursor) {
    self.init(commit: message.commit, sequence: message.sequence)
  }
}

extension Arena {
  func cursor(_ cursor: Cursor) -> UnsafeMutablePointer<Atrest__Sync__V1__Cursor> {
    let message = make(atrest__sync__v1__cursor__init)
    message.pointee.commit = cursor.commit
    message.pointee.sequence = cursor.sequence
    return message
  }
}
