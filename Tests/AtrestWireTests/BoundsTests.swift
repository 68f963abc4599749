// SPDX-License-Identifier: Apache-2.0
// The limits of limits.proto, at their edges: what just fits is read, what just does not is
// refused, by both codecs and for the same reason.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestWire
import AtrestWireCases
import Testing

@Suite("Limits of messages", .timeLimit(.minutes(20)))
struct BoundsTests {
  private let stamp = Stamp(time: HybridTime(rawValue: 9), replica: ReplicaID(rawValue: 8))

  /// Checks that both codecs accept a value, or refuse its bytes with the same error.
  private func check<Message: PublicMessage>(
    _ message: Message, _ error: WireError? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let bytes = message.packed
    #expect(message.encoded == bytes, sourceLocation: sourceLocation)
    if let error {
      #expect(throws: error, sourceLocation: sourceLocation) { try Message(decoding: bytes) }
      #expect(throws: error, sourceLocation: sourceLocation) { try Message(unpacking: bytes) }
    } else {
      #expect((try? Message(decoding: bytes)) == message, sourceLocation: sourceLocation)
      #expect((try? Message(unpacking: bytes)) == message, sourceLocation: sourceLocation)
    }
  }

  private func record(
    kind: RecordKind = .session, id: Int = 1, registers: Int = 1, value: Int = 0,
    stamp: Stamp? = nil, field: FieldNumber = 1
  ) throws -> Record {
    let registers = (0..<registers).map {
      // Field 15 would be a prune floor.
      let number = field + FieldNumber($0) + ($0 >= 14 ? 1 : 0)
      return Register(
        field: number, stamp: stamp ?? self.stamp, value: [UInt8](repeating: 1, count: value))
    }
    return try #require(
      Record(
        key: RecordKey(kind: kind, id: [UInt8](repeating: 7, count: id)), registers: registers))
  }

  @Test("ids")
  func ids() throws {
    check(try record(id: Limit.idBytes))
    check(try record(id: Limit.idBytes + 1), .tooLong)
    check(try record(id: 0), .invalid("a record has no id"))
    check(try record(kind: .conflict, id: Limit.conflictIDBytes))
    check(try record(kind: .conflict, id: Limit.conflictIDBytes + 1), .tooLong)
  }

  @Test("registers and their values")
  func registers() throws {
    check(try record(registers: Limit.registers))
    check(try record(registers: Limit.registers + 1), .tooLong)
    check(try record(registers: Limit.registers + 2), .tooLong)
    check(try record(registers: 0), .invalid("a record has no registers"))
    check(try record(value: Limit.valueBytes))
    check(try record(value: Limit.valueBytes + 1), .tooLong)
    check(try record(kind: .conflict, value: Limit.conflictValueBytes))
    check(try record(kind: .conflict, value: Limit.conflictValueBytes + 1), .tooLong)
    let field = Conflict.recordField
    check(try record(kind: .conflict, value: Limit.conflictRecordBytes, field: field))
    check(try record(kind: .conflict, value: Limit.conflictRecordBytes + 1, field: field), .tooLong)
    check(try record(field: FieldNumber(Limit.fieldNumber)))
    let nameless = WireError.invalid("a register has no field number")
    check(try record(field: FieldNumber(Limit.fieldNumber) + 1), nameless)
    let late = Stamp(
      time: HybridTime(rawValue: HybridTime.latest.rawValue + 1), replica: ReplicaID(rawValue: 1))
    check(try record(stamp: Stamp(time: .latest, replica: .none)))
    check(try record(stamp: late), .invalid("a stamp lies beyond the year 6429"))
    check(try record(kind: RecordKind(rawValue: 0)), .invalid("a record has no kind"))
  }

  @Test("what a deletion held")
  func held() throws {
    func record(_ held: [Stamp], by field: FieldNumber = 1) throws -> Record {
      let register = Register(field: field, stamp: stamp, value: [], held: held)
      return try #require(Record(key: RecordKey(kind: .session, id: [7]), registers: [register]))
    }
    let stamps = (1...UInt64(Limit.heldStamps + 2)).map {
      Stamp(time: HybridTime(rawValue: $0), replica: ReplicaID(rawValue: 3))
    }
    for field in [Register.deletedField, Register.pruneFloorField] {
      check(try record(Array(stamps.prefix(Limit.heldStamps)), by: field))
    }
    check(try record(Array(stamps.dropLast())), .tooLong)
    check(try record(stamps), .tooLong)
    let wrong = WireError.invalid("a register holds stamps out of order, or is no deletion")
    check(try record([stamps[1], stamps[0]]), wrong)
    check(try record([stamps[0], stamps[0]]), wrong)
    check(try record([stamps[0]], by: 2), wrong)
  }

  @Test("offers and their numbers")
  func offers() throws {
    let record = try record()
    let most = [FieldNumber](repeating: 1, count: Limit.registers)
    check(Offer(record: record, written: most))
    let many = WireError.tooLong
    check(Offer(record: record, written: most + [1]), many)
    let page = [[UInt8]](repeating: [1], count: Limit.pageRecords)
    check(ExchangeRequest(cursor: nil, offers: page))
    check(ExchangeRequest(cursor: nil, offers: page + [[1]]), .invalid("more than 1000 offers"))
    func segment(_ settled: UInt64, token: UInt64 = 1) -> ExchangeRequest {
      ExchangeRequest(
        cursor: nil, offers: [[1]],
        segment: OutboxSegment(
          confirmed: .start, token: token, settledThrough: settled, numbers: [settled &+ 1]))
    }
    check(segment(OutboxSegment.lastNumber - 1))
    let late = WireError.invalid("the numbers of offers do not ascend")
    check(segment(OutboxSegment.lastNumber), late)
    check(segment(.max), late)
    check(segment(0, token: 0), .invalid("an outbox token is zero"))
  }

  @Test("pages")
  func pages() {
    let time = WallTime(milliseconds: 1)
    let page = [[UInt8]](repeating: [1], count: Limit.pageRecords)
    let many = WireError.invalid("a response has more than 1000 entries")
    check(ExchangeResponse(records: page, cursor: .start, serverTime: time))
    check(ExchangeResponse(records: page + [[]], cursor: .start, serverTime: time), many)
    let numbers = [UInt32](repeating: 1, count: Limit.pageRecords)
    check(ExchangeResponse(superseded: numbers, cursor: .start, serverTime: time))
    check(ExchangeResponse(superseded: numbers + [1], cursor: .start, serverTime: time), many)
    let refusals = [Refusal](
      repeating: Refusal(index: 1, reason: .invalid, message: ""), count: Limit.pageRecords)
    check(ExchangeResponse(refusals: refusals, cursor: .start, serverTime: time))
    check(
      ExchangeResponse(refusals: refusals + refusals.prefix(1), cursor: .start, serverTime: time),
      many)
    check(WatchResponse(after: .start, records: page, cursor: .start, serverTime: time))
    check(
      WatchResponse(after: .start, records: page + [[]], cursor: .start, serverTime: time),
      .invalid("an event has more than 1000 records"))
    check(ReconcileResponse(ranges: [], records: page, serverTime: time))
    let excess = WireError.invalid("a response has too many entries")
    check(ReconcileResponse(ranges: [], records: page + [[]], serverTime: time), excess)
    let keys = [[UInt8]](repeating: [1], count: Limit.items)
    check(ReconcileResponse(ranges: [], wanted: keys, serverTime: time))
    check(ReconcileResponse(ranges: [], wanted: keys + [[1]], serverTime: time), excess)
  }

  @Test("comparisons")
  func comparisons() {
    func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
    func settled(_ count: Int) -> ReconcileRequest {
      ReconcileRequest(ranges: (1...count).map { KeyRange(end: key($0), content: .settled) })
    }
    check(settled(Limit.ranges))
    check(settled(Limit.ranges + 1), .invalid("more than 1000 ranges"))
    func items(_ count: Int) -> ReconcileRequest {
      let items = (1...count).map { KeyRange.Item(key: key($0), hash: 0) }
      return ReconcileRequest(ranges: [KeyRange(end: [], content: .items(items))])
    }
    check(items(Limit.items))
    check(items(Limit.items + 1), .invalid("more than 4000 items"))
    func long(_ count: Int) -> ReconcileRequest {
      ReconcileRequest(
        ranges: [KeyRange(end: [UInt8](repeating: 1, count: count), content: .settled)])
    }
    check(long(Limit.conflictIDBytes + 4))
    check(long(Limit.conflictIDBytes + 5), .invalid("ranges are not ascending"))
  }

  @Test("text and nonces")
  func text() {
    func text(_ count: Int) -> String { String(repeating: "n", count: count) }
    let long = WireError.invalid("text is too long")
    let nobody = ReplicaID(rawValue: 1)
    check(DevicesRenameRequest(replica: nobody, name: text(Limit.nameBytes)))
    check(DevicesRenameRequest(replica: nobody, name: text(Limit.nameBytes + 1)), long)
    check(PairRequest(code: text(Limit.codeBytes), deviceName: ""))
    check(PairRequest(code: text(Limit.codeBytes + 1), deviceName: ""), long)
    let time = WallTime(milliseconds: 1)
    func paired(_ count: Int) -> PairResponse {
      PairResponse(replica: nobody, token: text(count), accountName: "", serverTime: time)
    }
    check(paired(Limit.tokenBytes))
    check(paired(Limit.tokenBytes + 1), long)
    check(HealthCheckRequest(service: text(Limit.serviceBytes)))
    check(HealthCheckRequest(service: text(Limit.serviceBytes + 1)), long)
    check(PreferenceMessage(value: text(Limit.settingBytes)))
    check(PreferenceMessage(value: text(Limit.settingBytes + 1)), long)
    func rejected(_ code: Int, _ message: Int) -> EntitlementsSubmitResponse {
      EntitlementsSubmitResponse(
        rejection: .init(
          code: text(code), check: 0, message: text(message), retryable: false))
    }
    check(rejected(Limit.rejectionCodeBytes, Limit.sentenceBytes))
    check(rejected(Limit.rejectionCodeBytes + 1, 0), long)
    check(rejected(0, Limit.sentenceBytes + 1), long)
    let wrong = WireError.invalid("a nonce has 16 to 64 bytes")
    for (count, error) in [(15, wrong), (16, nil), (64, nil), (65, wrong)] {
      check(RenewRequest(nonce: [UInt8](repeating: 1, count: count)), error)
    }
    for count in [15, 17] {
      check(
        EntitlementsGetResponse(
          appAccountToken: [UInt8](repeating: 1, count: count), verifies: false, held: 0,
          serverTime: time), .invalid("a token is not a UUID"))
    }
    check(EventsRequest(pageSize: UInt32(Limit.events)))
    check(EventsRequest(pageSize: UInt32(Limit.events) + 1), .invalid("more than 500 events"))
  }

  @Test("fields of one message, known or not")
  func fields() throws {
    let few = [UInt8]((0..<Limit.messageFields).flatMap { _ in [0xA0, 0x06, 0x00] })
    let many = WireError.invalid("a message has very many fields")
    #expect(throws: Never.self) { try ExchangeRequest(decoding: few) }
    #expect(throws: Never.self) { try ExchangeRequest(unpacking: few) }
    for more in [[0xA0, 0x06, 0x00], [0x28, 0x01]] as [[UInt8]] {
      #expect(throws: many) { try ExchangeRequest(decoding: few + more) }
      #expect(throws: many) { try ExchangeRequest(unpacking: few + more) }
    }
    // One for each 16 bytes, and not those within a field.
    let large = [UInt8]([0xA2, 0x06, 0x80, 0x80, 0x04]) + [UInt8](repeating: 8, count: 65_536)
    #expect(throws: Never.self) { try ExchangeRequest(decoding: large + few) }
    #expect(throws: Never.self) { try ExchangeRequest(unpacking: large + few) }
  }

  @Test("the rules of other modules are those of the contract")
  func elsewhere() {
    #expect(Record.Limits.idBytes == Limit.idBytes)
    #expect(Register.heldLimit == Limit.heldStamps)
    #expect(Record.Limits.valueBytes == Limit.valueBytes)
    let entry = RecordKind.conflict
    #expect(
      Record.Limits.valueBytes(of: Conflict.entryField, in: entry) == Limit.conflictValueBytes)
    #expect(
      Record.Limits.valueBytes(of: Conflict.recordField, in: entry) == Limit.conflictRecordBytes)
    #expect(Record.Limits.encodedBytes(of: entry) == Limit.conflictBytes)
    #expect(Record.Limits.registers == Limit.registers)
    #expect(Record.Limits.encodedBytes == Limit.recordBytes)
    #expect(Session.targetRange == 1...Limit.targetMinutes)
    #expect(WaterEntry.millilitreRange == 1...Limit.millilitres)
    #expect(SignedTransaction.limitBytes == Limit.valueBytes)
    #expect(Page.recordBytes < Limit.messageBytes)
  }
}
