// SPDX-License-Identifier: Apache-2.0
// Every message survives a round trip.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@Suite("Messages", .timeLimit(.minutes(20)))
struct RoundTripTests {
  private static func stamp(_ random: inout SeededRandom) -> Stamp {
    Stamp(
      time: HybridTime(rawValue: .random(in: 0...HybridTime.latest.rawValue, using: &random)),
      replica: ReplicaID(rawValue: .random(in: 0...(.max), using: &random)))
  }

  private static func record(_ random: inout SeededRandom) -> Record {
    func bytes(_ range: ClosedRange<Int>) -> [UInt8] {
      let count = Int.random(in: range, using: &random)
      return (0..<count).map { _ in .random(in: 0...255, using: &random) }
    }
    var record = Record(
      key: RecordKey(
        kind: RecordKind(rawValue: .random(in: 1...2_000_000_000, using: &random)),
        id: bytes(1...96)
      ))
    for _ in 0...Int.random(in: 0...5, using: &random) {
      record.set(
        Register(
          field: .random(in: 1...536_870_911, using: &random), stamp: stamp(&random),
          replaced: random.oneIn(2) ? stamp(&random) : nil, value: bytes(0...40)))
    }
    return record
  }

  @Test("records of any kind keep every byte")
  func records() throws {
    try checkLaw { random in
      let record = Self.record(&random)
      return try Record(decoding: record.encoded) == record
    }
  }

  @Test("offers, requests and responses keep everything")
  func exchanges() throws {
    try checkLaw { random in
      let isRestored = random.oneIn(2)
      let offer = Offer(
        record: Self.record(&random), written: isRestored ? [] : [1, 2, 500],
        isRestored: isRestored)
      let request = ExchangeRequest(
        cursor: random.oneIn(3) ? nil : Cursor(commit: random.next(), sequence: random.next()),
        offers: Array(repeating: offer.encoded, count: Int.random(in: 1...4, using: &random)),
        allowsMassDeletion: random.oneIn(2), isPeek: random.oneIn(2))
      var numbered = request
      numbered.segment = Self.segment(of: request.offers.count, &random)
      let response = ExchangeResponse(
        refusals: [Refusal(index: 3, reason: .invalid, message: "No.")], superseded: [0, 999],
        records: [offer.record.encoded], cursor: Cursor(commit: random.next(), sequence: 4),
        more: random.oneIn(2), restarted: random.oneIn(2),
        serverTime: WallTime(milliseconds: .random(in: 0...(.max), using: &random)),
        head: random.oneIn(2) ? nil : Cursor(commit: random.next(), sequence: 9),
        takenThrough: random.oneIn(2)
          ? nil
          : OutboxPosition(
            number: random.oneIn(3) ? 0 : random.next(),
            token: random.oneIn(3) ? 0 : random.next()))
      let event = WatchResponse(
        after: Cursor(commit: random.next(), sequence: 2), records: [offer.record.encoded],
        cursor: Cursor(commit: random.next(), sequence: 3),
        serverTime: WallTime(milliseconds: 5))
      return try Offer(decoding: request.offers[0]) == offer
        && ExchangeRequest(decoding: request.encoded) == request
        && ExchangeRequest(decoding: numbered.encoded) == numbered
        && ExchangeResponse(decoding: response.encoded) == response
        && WatchResponse(decoding: event.encoded) == event
    }
  }

  private static func segment(of count: Int, _ random: inout SeededRandom) -> OutboxSegment {
    let settled = UInt64.random(in: 0...(1 << 62), using: &random)
    let largest: UInt64 = random.oneIn(2) ? 1 : UInt64(UInt32.max)
    var numbers: [UInt64] = []
    for _ in 0..<count {
      numbers.append((numbers.last ?? settled) + .random(in: 1...largest, using: &random))
    }
    return OutboxSegment(
      confirmed: OutboxPosition(
        number: random.oneIn(3) ? 0 : random.next(), token: random.oneIn(3) ? 0 : random.next()),
      token: random.next() | 1,
      settledThrough: settled, numbers: numbers)
  }

  @Test("numbers in a row cost nothing, and what is the cursor is said once")
  func shortForms() throws {
    let cursor = Cursor(commit: 7, sequence: 8)
    let offers = [[UInt8]](repeating: [1], count: 1000)
    func segment(_ numbers: [UInt64]) -> OutboxSegment {
      OutboxSegment(confirmed: .start, token: 5, settledThrough: 70, numbers: numbers)
    }
    let bare = ExchangeRequest(cursor: cursor, offers: offers).encoded.count
    func cost(_ request: ExchangeRequest) -> Int { request.encoded.count - bare }
    let row = segment((71...1070).map { $0 })
    // Tag and length of the segment, tag and token, tag and number.
    #expect(cost(ExchangeRequest(cursor: cursor, offers: offers, segment: row)) == 2 + 9 + 2)
    let time = WallTime(milliseconds: 9)
    let answer = ExchangeResponse(cursor: cursor, serverTime: time)
    #expect(answer.head == cursor)
    #expect(
      answer.encoded.count
        == ExchangeResponse(cursor: cursor, serverTime: time, head: cursor).encoded.count)
    #expect(try ExchangeResponse(decoding: answer.encoded) == answer)
  }

  @Test("comparisons keep everything")
  func comparisons() throws {
    let items = [
      KeyRange.Item(key: [0, 0, 0, 1, 7], hash: 1), .init(key: [0, 0, 0, 1, 8], hash: 2),
    ]
    let ranges = [
      KeyRange(end: [0, 0, 0, 1], content: .settled),
      KeyRange(end: [0, 0, 0, 1, 9], content: .items(items)),
      KeyRange(end: [], content: .fingerprint(Fingerprint(count: 3, sum: .max))),
    ]
    let request = ReconcileRequest(
      ranges: ranges, cursor: Cursor(commit: 7, sequence: 3))
    #expect(try ReconcileRequest(decoding: request.encoded) == request)
    let response = ReconcileResponse(
      ranges: ranges, records: [[1]], wanted: [items[0].key],
      serverTime: WallTime(milliseconds: 3))
    #expect(try ReconcileResponse(decoding: response.encoded) == response)
    let lost = ReconcileResponse(
      ranges: [], serverTime: WallTime(milliseconds: 3), restarted: true)
    #expect(try ReconcileResponse(decoding: lost.encoded) == lost)
  }

  @Test(
    "ranges that do not lie side by side, and items outside their range, are refused",
    arguments: [
      [KeyRange(end: [2], content: .settled), KeyRange(end: [1], content: .settled)],
      [KeyRange(end: [], content: .settled), KeyRange(end: [], content: .settled)],
      [KeyRange(end: [2], content: .items([.init(key: [3], hash: 0)]))],
      [
        KeyRange(end: [2], content: .settled),
        KeyRange(end: [], content: .items([.init(key: [1], hash: 0)])),
      ],
      [KeyRange(end: [], content: .items([.init(key: [2], hash: 0), .init(key: [2], hash: 0)]))],
    ])
  func hostileRanges(ranges: [KeyRange]) {
    #expect(throws: WireError.self) {
      try ReconcileRequest(decoding: ReconcileRequest(ranges: ranges).encoded)
    }
  }

  @Test("devices and pairing keep everything")
  func devices() throws {
    let device = Device(
      replica: ReplicaID(rawValue: .max), name: "Café ☕️", paired: WallTime(milliseconds: 1),
      seen: nil, revoked: WallTime(milliseconds: 2), isCurrent: true)
    func check<M: WireMessage>(_ message: M) throws {
      #expect(try M(decoding: message.encoded) == message)
    }
    try check(PairRequest(code: "BCDF-GHJKLMNP", deviceName: "phone"))
    try check(
      PairRequest(code: "BCDFGHJKLMNP", deviceName: "phone", nonce: [UInt8](0..<64)))
    try check(
      PairResponse(
        replica: ReplicaID(rawValue: 7), token: "t", accountName: "home",
        serverTime: WallTime(milliseconds: 3), deviceName: "phone 2"))
    try check(RenewRequest(nonce: [UInt8](0..<16)))
    try check(RenewRequest())
    try check(InviteResponse(code: "c", expires: WallTime(milliseconds: 9)))
    try check(
      InviteResponse(code: "c", expires: WallTime(milliseconds: 9), needsApproval: true))
    let (first, second) = (ReplicaID(rawValue: 1), ReplicaID(rawValue: 2))
    let origins: [DeviceOrigin] = [
      .owner, .renewed(from: first), .invited(inviter: first, approver: nil),
      .invited(inviter: first, approver: first), .invited(inviter: first, approver: second),
    ]
    let family = origins.map { origin in
      var device = device
      device.origin = origin
      return device
    }
    try check(DevicesListResponse(devices: family))
    try check(DevicesRevokeRequest(replica: device.replica))
    try check(DevicesRevokeRequest(replica: device.replica, withDescendants: true))
    try check(DevicesRevokeResponse())
    try check(
      DevicesRevokeResponse(
        revoked: [device.replica, first], remaining: [second],
        spared: [ReplicaID(rawValue: 3), ReplicaID(rawValue: 4), ReplicaID(rawValue: 5)]))
    try check(HealthCheckRequest(service: "s"))
    try check(HealthCheckResponse(state: .notServing))
    try check(EmptyMessage())
  }

  @Test("an entitlement is stamped by its own signed date and by nothing else")
  func entitlement() throws {
    let payload = Data(#"{"transactionId":"2000","signedDate":1700000000123}"#.utf8)
    let segment = payload.base64EncodedString().replacingOccurrences(of: "=", with: "")
    let jws = Array("e30.\(segment).c2ln".utf8)
    let record = try #require(EntitlementField.record(jws: jws))
    #expect(record.key == RecordKey(kind: .entitlement, id: Array("2000".utf8)))
    #expect(record.latestTime?.milliseconds == 1_700_000_000_123)
    #expect(try EntitlementField.jws(of: record) == jws)
    #expect(throws: Never.self) { try record.checkKindRules() }
    let forged = Record(
      key: record.key,
      registers: record.registers.map {
        Register(
          field: $0.field,
          stamp: Stamp(time: .latest, replica: ReplicaID(rawValue: 1)), value: $0.value)
      })
    #expect(throws: WireError.self) { try #require(forged).checkKindRules() }
    #expect(EntitlementField.record(jws: Array("a.b".utf8)) == nil)
  }

  @Test(
    "a register of a known kind holds its own field and no other",
    arguments: [
      [], [0x4A, 0x01, 0xFF], [0x48, 0x80, 0x01], [0x4D, 1, 2, 3, 4],
      [0x49, 1, 2, 3, 4, 5, 6, 7, 8],
      [0x48, 0x01, 0x48, 0x02],
    ] as [[UInt8]])
  func ownField(value: [UInt8]) {
    #expect(throws: Never.self) { try setting(field9: value).checkKindRules() }
  }

  @Test(
    "a register of a known kind that holds anything else is refused",
    arguments: [
      [0x50, 0x01], [0x48, 0x01, 0x50, 0x01], [0x48], [0x4A, 0x02, 0x00], [0x4D, 1], [0x4B, 0x4C],
      [0x4A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
    ] as [[UInt8]])
  func otherField(value: [UInt8]) {
    #expect(throws: WireError.self) { try setting(field9: value).checkKindRules() }
  }

  @Test("a setting's key is UTF-8")
  func settingKey() {
    #expect(throws: WireError.self) { try setting(key: [0xFF]).checkKindRules() }
    #expect(throws: Never.self) { try setting(key: [0xC3, 0xA4]).checkKindRules() }
  }

  private func setting(key: [UInt8] = [0x61], field9: [UInt8] = []) throws -> Record {
    let stamp = Stamp(time: HybridTime(rawValue: 1 << 16), replica: ReplicaID(rawValue: 1))
    return try #require(
      Record(
        key: RecordKey(kind: .preference, id: key),
        registers: [
          Register(field: 2, stamp: stamp, value: PreferenceField.encode("dark")),
          Register(field: 9, stamp: stamp, value: field9),
        ]))
  }
}
