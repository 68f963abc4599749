// SPDX-License-Identifier: Apache-2.0
// Positions of offers in a replica's outbox log, and how far a server has processed it.

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
}

extension OutboxPosition: FieldWriting {
  /// A position's fields are numbers, so a later occurrence replaces an earlier one.
  init(_ bytes: Slice) throws(WireError) {
    self = .start
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.OutboxPosition(rawValue: field.number) {
      case .number: number = try field.uint64()
      case .token: token = try field.fixed64()
      case nil: break
      }
    }
  }

  func write(to sink: inout some FieldSink) {
    sink.number(Fields.OutboxPosition.number, number)
    sink.fixed64(Fields.OutboxPosition.token, token)
  }
}

/// Where a request's offers are in the replica's outbox. The rules are in sync.proto,
/// `OutboxSegment`.
public struct OutboxSegment: Hashable, Sendable {
  /// The position that the server told last: the offers after it are here, or were here in requests
  /// that it answered. A server that is at an earlier position judges none.
  public var confirmed: OutboxPosition
  /// The replica's newest token. Random, non-zero, durable before it is sent.
  public var token: UInt64
  /// The server's response to the offers up to this number is stored.
  public var settledThrough: UInt64
  /// The number of each offer, ascending, all above `settledThrough`.
  public var numbers: [UInt64]

  /// Creates a segment from its fields.
  public init(
    confirmed: OutboxPosition, token: UInt64, settledThrough: UInt64, numbers: [UInt64]
  ) {
    self.confirmed = confirmed
    self.token = token
    self.settledThrough = settledThrough
    self.numbers = numbers
  }

  /// Whether the offers go on from a server's `position`: it is in the past of the replica that
  /// sent this segment, and not before what the replica was told.
  public func follows(_ position: OutboxPosition) -> Bool {
    guard position.number >= confirmed.number else { return false }
    return position.token == 0 || position.token == token || position.token == confirmed.token
  }

  /// Creates a segment from its fields as sent.
  ///
  /// - Parameters:
  ///   - steps: The differences between successive numbers; empty if all are 1.
  ///   - offers: The number of offers in the request.
  package init(
    confirmed: OutboxPosition, token: UInt64, settledThrough: UInt64,
    steps: some RandomAccessCollection<UInt32>, offers: Int
  ) throws(WireError) {
    guard token != 0 else { throw .invalid("an outbox token is zero") }
    guard steps.isEmpty || steps.count == offers else {
      throw .invalid("a segment has not as many numbers as there are offers")
    }
    var numbers: [UInt64] = []
    numbers.reserveCapacity(offers)
    var number = settledThrough
    func append(_ step: UInt32) throws(WireError) {
      let (next, overflow) = number.addingReportingOverflow(UInt64(step))
      guard step > 0, !overflow, next <= Self.lastNumber else {
        throw .invalid("the numbers of offers do not ascend")
      }
      numbers.append(next)
      number = next
    }
    if steps.isEmpty {
      for _ in 0..<offers { try append(1) }
    } else {
      for step in steps { try append(step) }
    }
    self.init(
      confirmed: confirmed, token: token, settledThrough: settledThrough, numbers: numbers)
  }

  /// The largest number: it must fit a signed integer.
  public static let lastNumber = UInt64(Int64.max)

  /// The differences between successive numbers; empty if all are 1.
  package var steps: [UInt32] {
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

extension OutboxSegment: FieldWriting {
  func write(to sink: inout some FieldSink) {
    sink.fixed64(Fields.OutboxSegment.confirmed, confirmed.token)
    sink.fixed64(Fields.OutboxSegment.token, token)
    sink.number(Fields.OutboxSegment.settledThrough, settledThrough)
    sink.packed(Fields.OutboxSegment.steps, steps)
    sink.number(Fields.OutboxSegment.confirmedNumber, confirmed.number)
  }
}

/// A segment's fields as they were sent.
struct OutboxSegmentParts {
  private var confirmed = OutboxPosition.start
  private var token: UInt64 = 0
  private var settledThrough: UInt64 = 0
  private var steps: [UInt32] = []

  init() {}

  /// Reads one occurrence of the field. Lists of all of them are joined, in place: a message may
  /// hold very many. Of numbers the last occurrence counts, even where they are absent.
  mutating func read(_ bytes: Slice) throws(WireError) {
    (confirmed, token, settledThrough) = (.start, 0, 0)
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.OutboxSegment(rawValue: field.number) {
      case .confirmed: confirmed.token = try field.fixed64()
      case .confirmedNumber: confirmed.number = try field.uint64()
      case .token: token = try field.fixed64()
      case .settledThrough: settledThrough = try field.uint64()
      case .steps: try field.append(to: &steps)
      case nil: break
      }
    }
  }

  func segment(offers: Int) throws(WireError) -> OutboxSegment {
    try OutboxSegment(
      confirmed: confirmed, token: token, settledThrough: settledThrough, steps: steps,
      offers: offers)
  }
}
