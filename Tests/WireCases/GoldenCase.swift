// SPDX-License-Identifier: Apache-2.0
// Messages and their bytes, which never change: both codecs write them, and read them.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestWire

/// A value with its bytes.
public struct GoldenCase: Sendable, CustomStringConvertible {
  /// What the value is.
  public let description: String
  /// The bytes in hexadecimal digits.
  public let hex: String
  /// What the Swift codec writes.
  public let encoded: @Sendable () -> [UInt8]
  /// What protobuf-c writes.
  public let packed: @Sendable () -> [UInt8]
  /// Whether the Swift codec reads the value from the bytes.
  public let decodes: @Sendable ([UInt8]) -> Bool
  /// Whether protobuf-c does.
  public let unpacks: @Sendable ([UInt8]) -> Bool

  private init<Message: PublicMessage>(_ description: String, _ value: Message, _ hex: String) {
    self.description = description
    self.hex = hex
    encoded = { value.encoded }
    packed = { value.packed }
    decodes = { (try? Message(decoding: $0)) == value }
    unpacks = { (try? Message(unpacking: $0)) == value }
  }

  private static let stamp = Stamp(
    time: HybridTime(rawValue: 0x0190_0000_0000_0001), replica: ReplicaID(rawValue: 0xA1))
  private static let early = Stamp(
    time: HybridTime(rawValue: 5), replica: ReplicaID(rawValue: 2))
  private static let span = SessionMessage.Span(
    start: 1_700_000_000_000, end: 1_700_057_600_000, outcome: 1)
  private static let cursor = Cursor(commit: 0x1122_3344_5566_7788, sequence: 300)
  private static let time = WallTime(milliseconds: 1_700_000_000_000)

  private static let fast: Record = {
    var record = Record(key: RecordKey(kind: .session, id: [UInt8](0..<16)))
    record.set(Register(field: Register.deletedField, stamp: stamp, value: []))
    record.set(
      Register(
        field: SessionField.span, stamp: stamp, value: SessionMessage(span: span).encoded))
    record.set(
      Register(
        field: SessionField.target, stamp: stamp, replaced: early,
        value: SessionField.encode(targetMinutes: 960)))
    return record
  }()

  private static let foreign: Record = {
    var record = Record(key: RecordKey(kind: RecordKind(rawValue: 0x8000_0001), id: [7]))
    record.set(Register(field: 536_870_911, stamp: early, value: [0xFA, 0xFF]))
    return record
  }()

  private static let conflict = Conflict(
    key: RecordKey(kind: .water, id: [1]), field: 2,
    lost: Register(field: 2, stamp: stamp, value: [0x12, 0x00]),
    kept: Register(field: 2, stamp: early, value: [0x12, 0x02, 0x08, 0x01]),
    noticed: WallTime(milliseconds: 12345))

  /// Every case.
  public static let all: [GoldenCase] = [
    GoldenCase(
      "a fast", fast,
      """
      08011210000102030405060708090a0b0c0d0e0f\
      1a160801121209010000000000900111a100000000000000\
      1a2a0802121209010000000000900111a1000000000000002212121008\
      80d095ffbc311080a0d19abd311801\
      1a2f0803121209010000000000900111a1000000000000001a1209050000000000000011\
      020000000000000022\
      0318c007
      """),
    GoldenCase(
      "a record of a kind from 2^31, which is a negative enum", foreign,
      """
      0881808080f8ffffffff011201071a1e08ffffffff01121209050000000000000011020000000000\
      00002202faff
      """),
    GoldenCase(
      "an offer", Offer(record: foreign, written: [1, 300], isRestored: true),
      """
      0a2e0881808080f8ffffffff011201071a1e08ffffffff0112120905000000000000001102000000\
      000000002202faff120301ac021801
      """),
    GoldenCase(
      "a request with offers",
      ExchangeRequest(
        cursor: cursor, offers: [[1], []],
        segment: OutboxSegment(
          confirmed: OutboxPosition(number: 4, token: 7), token: 8, settledThrough: 3,
          numbers: [5, 900]),
        allowsMassDeletion: true, isPeek: true, deviceTime: time),
      """
      0a0c09887766554433221110ac0212010112002801321b0907000000000000001108000000000000\
      001803220302ff06280438014080d095ffbc31
      """),
    GoldenCase("a request for everything", ExchangeRequest(cursor: nil), ""),
    GoldenCase(
      "a response",
      ExchangeResponse(
        refusals: [
          Refusal(index: 3, reason: .quota, message: "Full."),
          Refusal(index: 0, reason: .init(rawValue: 0), message: ""),
        ], superseded: [0, 999], records: [[2], []], cursor: cursor, more: true, restarted: true,
        serverTime: WallTime(milliseconds: -1), head: .start,
        takenThrough: OutboxPosition(number: 900, token: 8), isClockDoubtful: true),
      """
      0a0b080310071a0546756c6c2e0a00120300e7071a01021a00220c09887766554433221110ac0228\
      01300138ffffffffffffffffff014a00520c0884071108000000000000005801
      """),
    GoldenCase(
      "a commit", WatchResponse(after: .start, records: [[3]], cursor: cursor, serverTime: time),
      "0a001201031a0c09887766554433221110ac022080d095ffbc31"),
    GoldenCase(
      "a comparison",
      ReconcileRequest(
        ranges: [
          KeyRange(end: [0, 0, 0, 1], content: .settled),
          KeyRange(
            end: [0, 0, 0, 1, 9],
            content: .items([
              .init(key: [0, 0, 0, 1, 7], hash: 1), .init(key: [0, 0, 0, 1, 8], hash: 2),
            ])
          ),
          KeyRange(end: [], content: .fingerprint(Fingerprint(count: 3, sum: .max))),
        ], cursor: cursor),
      """
      0a060a04000000010a2d0a05000000010910022a100a0500000001071101000000000000002a100a\
      0500000001081102000000000000000a0d1001180321ffffffffffffffff120c0988776655443322\
      1110ac02
      """),
    GoldenCase(
      "a device that asks to be let in",
      PairRequest(code: "BCDFGHJKLMNPQ", deviceName: "Café ☕️", nonce: [UInt8](0..<16)),
      """
      0a0d4243444647484a4b4c4d4e5051120c436166c3a920e29895efb88f1a10000102030405060708\
      090a0b0c0d0e0f
      """),
    GoldenCase(
      "a device",
      DevicesListResponse(devices: [
        Device(
          replica: ReplicaID(rawValue: .max), name: "phone", paired: time, revoked: time,
          isCurrent: true,
          origin: .invited(inviter: ReplicaID(rawValue: 1), approver: ReplicaID(rawValue: 2)))
      ]),
      """
      0a3209ffffffffffffffff120570686f6e651880d095ffbc312880d095ffbc313001390100000000\
      000000490200000000000000
      """),
    GoldenCase(
      "revoked devices",
      DevicesRevokeResponse(
        revoked: [ReplicaID(rawValue: 1), ReplicaID(rawValue: .max)], remaining: [],
        spared: [ReplicaID(rawValue: 3)]),
      "0a100100000000000000ffffffffffffffff1a080300000000000000"),
    GoldenCase(
      "an event",
      EventsResponse(
        events: [
          AccountEvent(
            number: .max, at: time, kind: .init(rawValue: 4000), actor: ReplicaID(rawValue: 1),
            detail: -9, count: 10)
        ], nextPageToken: "10"),
      """
      0a2b08ffffffffffffffffff011080d095ffbc3118a01f21010000000000000030f7ffffffffffff\
      ffff01380a1a023130
      """),
    GoldenCase(
      "a journal entry", ConflictMessage(entry: conflict),
      """
      124408021201011802221a0802121209010000000000900111a100000000000000220212002a1c08\
      02121209050000000000000011020000000000000022041202080130b960
      """),
    GoldenCase(
      "a journal entry's record", ConflictMessage(record: foreign),
      """
      1a2e0881808080f8ffffffff011201071a1e08ffffffff0112120905000000000000001102000000\
      000000002202faff
      """),
    GoldenCase(
      "a drink", WaterMessage(intake: .init(at: 1_700_000_000_000, millilitres: 250)),
      "120a0880d095ffbc3110fa01"),
  ]
}

/// Bytes as hexadecimal digits.
public func hex(_ bytes: [UInt8]) -> String { Hexadecimal.encoded(bytes) }
