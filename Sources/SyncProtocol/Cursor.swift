// SPDX-License-Identifier: Apache-2.0
// A place in an account's feed.

import CSyncProtos

/// A place in an account's feed. Sequences are the server's, in the order of its commits; client clocks play no part.
public struct Cursor: Hashable, Sendable {
  /// Names one life of the server's store.
  public let epoch: UInt64
  /// The last commit that is held; 0 before the first.
  public let sequence: UInt64

  /// A place.
  public init(epoch: UInt64, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }

  init(_ message: Atrest__Sync__V1__Cursor) {
    self.init(epoch: message.epoch, sequence: message.sequence)
  }
}

extension Arena {
  func cursor(_ cursor: Cursor) -> UnsafeMutablePointer<Atrest__Sync__V1__Cursor> {
    let message = make(atrest__sync__v1__cursor__init)
    message.pointee.epoch = cursor.epoch
    message.pointee.sequence = cursor.sequence
    return message
  }
}
