// SPDX-License-Identifier: Apache-2.0
// Tells offers that were judged before from new ones, so that each number of a device's outbox is
// judged once.

import AtrestProtocol
import AtrestReplication

/// A device's outbox as one request meets it.
struct OfferLog {
  /// What is known of an offer before it is looked at.
  enum Verdict {
    /// It is to be judged.
    case new
    /// It was taken before.
    case taken
    /// It was refused before.
    case refused(Refusal.Reason)
    /// The server is at a position that the request does not go on from: the device has to say
    /// first whether it is in its past.
    case unread
  }

  private let segment: OutboxSegment?
  private let stored: DeviceOutbox
  private let isConnected: Bool
  private var refused: [UInt64: Refusal.Reason]

  /// - Parameter stored: As storage has it for the device that asks.
  init(_ segment: OutboxSegment?, _ stored: DeviceOutbox) {
    self.segment = segment
    self.stored = stored
    let settled = segment?.settledThrough ?? 0
    let open = stored.refusals.filter { $0.number > settled }
    isConnected =
      segment.map {
        $0.follows(stored.takenThrough) && open.count <= DeviceOutbox.refusalLimit
          || Mutation.copyNotNoticed.isActive
      } ?? true
    // What the device has settled it never asks about again.
    refused = Dictionary((isConnected ? open : stored.refusals).map { ($0.number, $0.reason) }) {
      first, _ in first
    }
  }

  /// What is known of the offer with an index.
  func verdict(onOffer index: Int) -> Verdict {
    guard let segment, index < segment.numbers.count else { return .new }
    let number = segment.numbers[index]
    if number <= stored.takenThrough.number, !Mutation.offerJudgedTwice.isActive {
      if Mutation.refusalNotRepeated.isActive { return .taken }
      return refused[number].map { .refused($0) } ?? .taken
    }
    return isConnected ? .new : .unread
  }

  /// Notes that an offer was refused.
  mutating func refuse(offer index: Int, _ reason: Refusal.Reason) {
    guard let segment, index < segment.numbers.count else { return }
    refused[segment.numbers[index]] = reason
  }

  /// What storage is to hold from now on; nil if that has not changed.
  var changed: DeviceOutbox? {
    guard let segment, let last = segment.numbers.last, isConnected else { return nil }
    let outbox = DeviceOutbox(
      takenThrough: OutboxPosition(
        number: max(stored.takenThrough.number, last), token: segment.token),
      refusals: refused.map { DeviceOutbox.RefusedOffer(number: $0.key, reason: $0.value) }
        .sorted { $0.number < $1.number })
    return outbox == stored ? nil : outbox
  }

  /// What the answer tells the device; nil if it did not ask.
  var answer: OutboxPosition? {
    guard segment != nil else { return nil }
    return changed?.takenThrough ?? stored.takenThrough
  }
}
