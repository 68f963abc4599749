// SPDX-License-Identifier: Apache-2.0
// Whether a request's offers go on from where the server is in the device's outbox, and how far
// they were judged.

import AtrestWire

/// The server's position in a device's outbox, during one request.
struct OfferLog {
  private let segment: OutboxSegment?
  private let stored: OutboxPosition
  /// Whether the offers go on from the position. If not, none is judged: the device must first say
  /// whether that position is in its own past.
  let isConnected: Bool
  /// The number of offers that are judged.
  private var judgedCount: Int

  /// - Parameter stored: The position in the store.
  init(_ segment: OutboxSegment?, _ stored: OutboxPosition) {
    self.segment = segment
    self.stored = stored
    isConnected = segment?.follows(stored) ?? true
    judgedCount = segment?.numbers.count ?? 0
  }

  /// Leaves an offer and all that follow it unjudged. The device offers them again.
  ///
  /// - Parameter index: Not of the first offer.
  /// - Returns: False if the request has no segment: then nothing can tell the device.
  mutating func stop(before index: Int) -> Bool {
    guard let segment, segment.numbers.indices.contains(index) else { return false }
    judgedCount = index
    return true
  }

  /// The position of the last offer that was judged; nil if there is none.
  private var judged: OutboxPosition? {
    guard let segment, isConnected, let last = segment.numbers.prefix(judgedCount).last else {
      return nil
    }
    return OutboxPosition(number: last, token: segment.token)
  }

  /// The position to store, or nil if it is unchanged. An older request moves nothing back.
  var changed: OutboxPosition? {
    guard var position = judged else { return nil }
    position.number = max(position.number, stored.number)
    return position == stored ? nil : position
  }

  /// The position for the response, or nil if the request had no segment. It covers no offer of
  /// the request that was not judged.
  var answer: OutboxPosition? {
    guard let segment else { return nil }
    if let judged { return judged }
    guard !segment.numbers.isEmpty else { return stored }
    return OutboxPosition(
      number: min(stored.number, segment.settledThrough), token: stored.token)
  }
}
