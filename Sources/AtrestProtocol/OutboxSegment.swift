// SPDX-License-Identifier: Apache-2.0
// Positions in a replica's outbox: the log of everything that it ever offered.

import CAtrestProtos

/// A position in a replica's outbox.
public struct OutboxPosition: Hashable, Sendable {
  /// The number of an offer. 0 before the first.
  public var number: UInt64
  /// The token in the request that carried it. 0 before the first.
  public var token: UInt64

  /// Creates a position.
  public init(number: UInt64, token: UInt64) {
    self.number = number
    self.token = token
  }

  /// The position before the first offer. It lies in every replica's past.
  public static let start = OutboxPosition(number: 0, token: 0)

  init(_ message: Atrest__Sync__V1__OutboxPosition) {
    self.init(number: message.number, token: message.token)
  }
}

/// The positions of a request's offers in the replica's outbox. The rules are in sync.proto.
public struct OutboxSegment: Hashable, Sendable {
  /// The token of the latest position that the replica received. 0 before the first.
  public var confirmed: UInt64
  /// The replica's newest token. Random, not zero, durable before it is sent.
  public var token: UInt64
  /// The replica has stored the server's verdicts on all offers up to this number.
  public var settledThrough: UInt64
  /// The number of each offer, ascending, all greater than `settledThrough`.
  public var numbers: [UInt64]

  /// Creates a segment. All parameters are stored unchecked.
  public init(confirmed: UInt64, token: UInt64, settledThrough: UInt64, numbers: [UInt64]) {
    self.confirmed = confirmed
    self.token = token
    self.settledThrough = settledThrough
    self.numbers = numbers
  }

  /// Whether this request continues from the server's `position`.
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

  /// The greatest valid number: the maximum of a signed integer.
  public static let lastNumber = UInt64(Int64.max)

  /// The differences between consecutive numbers. Empty if all are 1.
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
