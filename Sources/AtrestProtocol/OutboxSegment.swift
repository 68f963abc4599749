// SPDX-License-Identifier: Apache-2.0
// Positions of offers in a replica's outbox log, and how far a server has processed it.

import CAtrestProtos

/// A position in a replica's outbox.
public struct OutboxPosition: Hashable, Sendable {
  /// The number of an offer. 0 before the first.
  public var number: UInt64
  /// The sync token it was sent with; 0 before the first.
  public var token: UInt64

  /// Creates a position from its fields.
  public init(number: UInt64, token: UInt64) {
    self.number = number
    self.token = token
  }

  /// The position before the first offer, which precedes every replica's state.
  public static let start = OutboxPosition(number: 0, token: 0)

  init(_ message: Atrest__Sync__V1__OutboxPosition) {
    self.init(number: message.number, token: message.token)
  }
}

/// Where a request's offers are in the replica's outbox. The rules are in sync.proto,
/// `OutboxSegment`.
public struct OutboxSegment: Hashable, Sendable {
  /// The token of the newest position confirmed by the server; 0 before the first.
  public var confirmed: UInt64
  /// The replica's newest token. Random, non-zero, durable before it is sent.
  public var token: UInt64
  /// The server's response to the offers up to this number is stored.
  public var settledThrough: UInt64
  /// The number of each offer, ascending, all above `settledThrough`.
  public var numbers: [UInt64]

  /// Creates a segment from its fields.
  public init(confirmed: UInt64, token: UInt64, settledThrough: UInt64, numbers: [UInt64]) {
    self.confirmed = confirmed
    self.token = token
    self.settledThrough = settledThrough
    self.numbers = numbers
  }

  /// Whether `position` is in the past of the replica that sent this segment.
  public func follows(_ position: OutboxPosition) -> Bool {
    position.token == 0 || position.token == token || position.token == confirmed
  }

  /// - Parameter count: The number of offers in the request.
  init(_ message: Atrest__Sync__V1__OutboxSegment, count: Int) throws(WireError) {
    guard message.token != 0 else { throw .invalid("an outbox token is zero") }
    guard message.n_steps == 0 || message.n_steps == count else {
      throw .invalid("a segment has not as many numbers as there are offers")
    }
    let steps = UnsafeBufferPointer(
      start: message.steps, count: message.steps == nil ? 0 : message.n_steps)
    var numbers: [UInt64] = []
    numbers.reserveCapacity(count)
    var number = message.settled_through
    for index in 0..<count {
      let step = steps.isEmpty ? 1 : steps[index]
      let (next, overflow) = number.addingReportingOverflow(UInt64(step))
      guard step > 0, !overflow, next <= Self.lastNumber else {
        throw .invalid("the numbers of offers do not ascend")
      }
      numbers.append(next)
      number = next
    }
    self.init(
      confirmed: message.confirmed, token: message.token,
      settledThrough: message.settled_through, numbers: numbers)
  }

  /// The largest number: it must fit a signed integer.
  public static let lastNumber = UInt64(Int64.max)

  /// The differences between successive numbers; empty if all are 1.
  fileprivate var steps: [UInt32] {
    var last = settledThrough
    var steps: [UInt32] = []
    steps.reserveCapacity(numbers.count)
    for number in numbers {
      steps.append(UInt32(clamping: number &- last))
      last = number
    }
    return steps.allSatisfy { $0 == 1 } ? [] : steps
  }
}

extension Arena {
  func segment(
    _ segment: OutboxSegment
  ) -> UnsafeMutablePointer<Atrest__Sync__V1__OutboxSegment> {
    let message = make(atrest__sync__v1__outbox_segment__init)
    let steps = segment.steps
    message.pointee.confirmed = segment.confirmed
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
