// SPDX-License-Identifier: Apache-2.0
// Separates offers that were judged before from new ones: each number of a device's outbox is
// judged once.

import AtrestReplication
import AtrestWire

/// The state of a device's outbox during one request.
struct OfferLog {
  /// What is known of an offer before it is judged.
  enum Verdict {
    /// It was not judged before.
    case new
    /// It was accepted before.
    case taken
    /// It was refused before.
    case refused(Refusal.Reason)
    /// The request does not continue from the stored position. The device must first check whether
    /// that position is in its own past.
    case unread
  }

  private let segment: OutboxSegment?
  private let stored: DeviceOutbox
  private let isConnected: Bool
  private var refused: [UInt64: Refusal.Reason]
  /// The number of offers that are judged: the rest of the request stays unread.
  private var judgedCount: Int

  /// - Parameter stored: The outbox state in the store for the calling device.
  init(_ segment: OutboxSegment?, _ stored: DeviceOutbox) {
    self.segment = segment
    self.stored = stored
    judgedCount = segment?.numbers.count ?? 0
    let settled = segment?.settledThrough ?? 0
    let open = stored.refusals.filter { $0.number > settled }
    isConnected =
      segment.map {
        $0.follows(stored.takenThrough) && open.count <= DeviceOutbox.refusalLimit
      } ?? true
    // The device never asks again about offers that it has settled.
    refused = Dictionary((isConnected ? open : stored.refusals).map { ($0.number, $0.reason) }) {
      first, _ in first
    }
  }

  func verdict(onOffer index: Int) -> Verdict {
    guard let segment, index < segment.numbers.count else { return .new }
    let number = segment.numbers[index]
    if number <= stored.takenThrough.number {
      return refused[number].map { .refused($0) } ?? .taken
    }
    return isConnected ? .new : .unread
  }

  /// Records that an offer was refused.
  mutating func refuse(offer index: Int, _ reason: Refusal.Reason) {
    guard let segment, index < segment.numbers.count else { return }
    refused[segment.numbers[index]] = reason
  }

  /// Leaves an offer and all that follow it unread. The device offers them again.
  ///
  /// - Parameter index: Not of the first offer, nor of one that was judged before.
  /// - Returns: False if the request has no segment: then nothing can tell the device.
  mutating func stop(before index: Int) -> Bool {
    guard let segment, segment.numbers.indices.contains(index) else { return false }
    judgedCount = index
    refused = refused.filter { $0.key < segment.numbers[index] }
    return true
  }

  /// The outbox state to store, or nil if it is unchanged.
  var changed: DeviceOutbox? {
    guard let segment, let last = segment.numbers.prefix(judgedCount).last, isConnected else {
      return nil
    }
    let outbox = DeviceOutbox(
      takenThrough: OutboxPosition(
        number: max(stored.takenThrough.number, last), token: segment.token),
      refusals: refused.map { DeviceOutbox.RefusedOffer(number: $0.key, reason: $0.value) }
        .sorted { $0.number < $1.number })
    return outbox == stored ? nil : outbox
  }

  /// The position for the response, or nil if the request had no segment.
  var answer: OutboxPosition? {
    guard segment != nil else { return nil }
    return changed?.takenThrough ?? stored.takenThrough
  }
}
