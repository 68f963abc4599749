// SPDX-License-Identifier: Apache-2.0
// Decoding arbitrary bytes returns or throws. It never traps and never exceeds its memory budget.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@Suite("Hostile bytes", .timeLimit(.minutes(20)))
struct HostileTests {
  private let record: Record = {
    var record = Record(key: RecordKey(kind: .session, id: [1, 2, 3]))
    for field: FieldNumber in 1...3 {
      record.set(
        Register(
          field: field,
          stamp: Stamp(time: HybridTime(rawValue: 9), replica: ReplicaID(rawValue: 8)),
          replaced: Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 2)),
          value: [1, 2, 3, 4]))
    }
    return record
  }()

  /// Decodes the bytes as every message a peer may send. True if nothing trapped.
  private func decodeAsEverything(_ bytes: [UInt8]) -> Bool {
    if let record = try? Record(unpacking: bytes) {
      guard (try? Record(unpacking: record.packed)) == record else { return false }
      try? record.checkPackedKindRules()
    }
    _ = try? Offer(unpacking: bytes)
    _ = try? ExchangeRequest(unpacking: bytes)
    _ = try? ExchangeResponse(unpacking: bytes)
    _ = try? WatchRequest(unpacking: bytes)
    _ = try? WatchResponse(unpacking: bytes)
    _ = try? PairRequest(unpacking: bytes)
    _ = try? PairResponse(unpacking: bytes)
    _ = try? RenewRequest(unpacking: bytes)
    _ = try? DevicesListResponse(unpacking: bytes)
    _ = try? HealthCheckRequest(unpacking: bytes)
    return true
  }

  @Test("a message has no more fields than it has reason to, whether they are known or not")
  func manyFields() throws {
    let few = [UInt8]((0..<4_096).flatMap { _ in [0xa0, 0x06, 0x00] })
    _ = try ExchangeRequest(unpacking: few)
    #expect(throws: WireError.invalid("a message has very many fields")) {
      try ExchangeRequest(unpacking: few + [0xa0, 0x06, 0x00])
    }
    // Large fields are few for their size, and their contents do not count as fields.
    let large = [UInt8]([0xa2, 0x06, 0x80, 0x80, 0x04]) + [UInt8](repeating: 8, count: 65_536)
    _ = try ExchangeRequest(unpacking: large)
  }

  /// protobuf-c returns C strings: the account "home\0 - keep this one!" was read as "home".
  @Test("text with a NUL in it is refused, wherever it is")
  func nul() throws {
    func request(_ name: String) -> [UInt8] { [0x0A, UInt8(name.utf8.count)] + Array(name.utf8) }
    #expect(try HealthCheckRequest(unpacking: request("home")).service == "home")
    #expect(try HealthCheckRequest(unpacking: []).service.isEmpty)
    #expect(try HealthCheckRequest(unpacking: request("")).service.isEmpty)
    for name in ["home\0 - keep this one!", "\0", "\0home", "home\0", "home\0\0"] {
      #expect(throws: WireError.invalid("text has a NUL in it")) {
        try HealthCheckRequest(unpacking: request(name))
      }
    }
  }

  @Test("random bytes")
  func random() {
    checkLaw { random in
      let count = Int.random(in: 0...200, using: &random)
      return decodeAsEverything((0..<count).map { _ in .random(in: 0...255, using: &random) })
    }
  }

  @Test("mutated messages")
  func mutated() {
    let offer = Offer(record: record, written: [2, 3]).packed
    let seeds = [
      record.packed, offer,
      ExchangeRequest(
        cursor: Cursor(commit: 1, sequence: 2), offers: [offer, offer],
        segment: OutboxSegment(
          confirmed: OutboxPosition(number: 4, token: 7), token: 8, settledThrough: 3,
          numbers: [5, 900])
      ).packed,
    ]
    checkLaw { random in
      var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      return decodeAsEverything(
        Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
    }
  }

  @Test("a message that would take 76 times its size is refused, not allocated")
  func amplification() {
    // 128 Ki empty registers in 256 KiB of wire: too many fields for their size.
    let bomb = [UInt8]((0..<131_072).flatMap { _ in [0x1A, 0x00] as [UInt8] })
    #expect(throws: WireError.invalid("a message has very many fields")) {
      try Record(unpacking: bomb)
    }
    // As many in 2 MiB pass that check but exceed the memory budget.
    let filler: [UInt8] = [0x1A, 14, 0xA2, 0x06, 11] + [UInt8](repeating: 0, count: 11)
    let large = [UInt8]((0..<131_072).flatMap { _ in filler })
    #expect(throws: WireError.malformed) { try Record(unpacking: large) }
  }

  @Test("registers without a stamp, fields out of order, ids out of bounds, stamps beyond all time")
  func shapes() {
    #expect(throws: WireError.self) { try Record(unpacking: []) }
    #expect(throws: WireError.self) { try Record(unpacking: [0x08, 0x01, 0x12, 0x00]) }
    #expect(throws: WireError.self) {
      try Record(unpacking: [0x08, 0x01, 0x12, 0x01, 0x01, 0x1A, 0x02, 0x08, 0x01])
    }
    var late = Record(key: record.key)
    late.set(
      Register(
        field: 1,
        stamp: Stamp(time: HybridTime(rawValue: .max), replica: ReplicaID(rawValue: 8)),
        value: []))
    #expect(throws: WireError.self) { try Record(unpacking: late.packed) }
    let long = Record(
      key: RecordKey(kind: .session, id: Array(repeating: 1, count: 97)),
      registers: record.registers)
    #expect(throws: WireError.self) { try Record(unpacking: #require(long).packed) }
  }

  @Test("text that is not UTF-8")
  func text() {
    #expect(throws: WireError.self) {
      try PairRequest(unpacking: [0x0A, 0x02, 0xC3, 0x28])
    }
  }

  /// Decodes a request with two offers and the segment.
  private func unpacking(_ segment: [UInt8]) throws -> ExchangeRequest {
    let offers: [UInt8] = [0x12, 1, 7, 0x12, 1, 8]
    return try ExchangeRequest(
      unpacking: offers + [0x32, UInt8(segment.count)] + segment)
  }

  /// The newest token: 1.
  private let token: [UInt8] = [0x11, 1, 0, 0, 0, 0, 0, 0, 0]
  /// Settled up to the largest number minus one.
  private let nearlyLast: [UInt8] = [
    0x18, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F,
  ]

  @Test("numbers of offers ascend, one for each, and a signed integer holds them")
  func segments() throws {
    #expect(try unpacking(token).segment?.numbers == [1, 2])
    #expect(try unpacking(token + [0x18, 5, 0x22, 2, 1, 9]).segment?.numbers == [6, 15])
    #expect(throws: WireError.invalid("an outbox token is zero")) { try unpacking([]) }
    #expect(throws: WireError.invalid("an outbox token is zero")) { try unpacking([0x18, 5]) }
    for steps: [UInt8] in [[0x22, 1, 1], [0x22, 3, 1, 1, 1]] {
      #expect(
        throws: WireError.invalid("a segment has not as many numbers as there are offers")
      ) { try unpacking(token + steps) }
    }
    for segment in [token + [0x22, 2, 1, 0], token + nearlyLast] {
      #expect(throws: WireError.invalid("the numbers of offers do not ascend")) {
        try unpacking(segment)
      }
    }
    let full: [UInt8] = [0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
    #expect(throws: WireError.invalid("the numbers of offers do not ascend")) {
      try unpacking(token + full)
    }
  }

  @Test("a restored offer may hold writes beside what was acknowledged")
  func restoredOffer() throws {
    for written: [FieldNumber] in [[], [1]] {
      let restored = Offer(record: record, written: written, isRestored: true)
      #expect(try Offer(unpacking: restored.packed) == restored)
    }
  }

  @Test("more offers than a page holds")
  func pages() {
    let request = ExchangeRequest(cursor: nil, offers: Array(repeating: [1], count: 1001))
    #expect(throws: WireError.self) { try ExchangeRequest(unpacking: request.packed) }
  }
}
