// SPDX-License-Identifier: Apache-2.0
// Packs positions: cursors in a feed, and segments of an outbox.

import AtrestReplication
import AtrestWire
import CAtrestProtobufC
import CAtrestProtos

extension Cursor {
  init(_ message: Atrest__Sync__V1__Cursor) {
    self.init(commit: message.commit, sequence: message.sequence)
  }
}

extension OutboxPosition {
  init(_ message: Atrest__Sync__V1__OutboxPosition) {
    self.init(number: message.number, token: message.token)
  }
}

extension OutboxSegment {
  /// - Parameter offers: The number of offers in the request.
  init(_ message: Atrest__Sync__V1__OutboxSegment, offers: Int) throws(WireError) {
    try self.init(
      confirmed: OutboxPosition(number: message.confirmed_number, token: message.confirmed),
      token: message.token,
      settledThrough: message.settled_through,
      steps: UnsafeBufferPointer(
        start: message.steps, count: message.steps == nil ? 0 : message.n_steps),
      offers: offers)
  }
}

extension Arena {
  func cursor(_ cursor: Cursor) -> UnsafeMutablePointer<Atrest__Sync__V1__Cursor> {
    let message = make(atrest__sync__v1__cursor__init)
    message.pointee.commit = cursor.commit
    message.pointee.sequence = cursor.sequence
    return message
  }

  func segment(
    _ segment: OutboxSegment
  ) -> UnsafeMutablePointer<Atrest__Sync__V1__OutboxSegment> {
    let message = make(atrest__sync__v1__outbox_segment__init)
    let steps = segment.steps
    message.pointee.confirmed = segment.confirmed.token
    message.pointee.confirmed_number = segment.confirmed.number
    message.pointee.token = segment.token
    message.pointee.settled_through = segment.settledThrough
    message.pointee.n_steps = steps.count
    message.pointee.steps = array(steps) { $0 }
    return message
  }

  func position(
    _ position: OutboxPosition
  ) -> UnsafeMutablePointer<Atrest__Sync__V1__OutboxPosition> {
    let message = make(atrest__sync__v1__outbox_position__init)
    message.pointee.number = position.number
    message.pointee.token = position.token
    return message
  }
}
