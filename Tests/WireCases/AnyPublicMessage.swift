// SPDX-License-Identifier: Apache-2.0
// Every public message, with random values of it: the list that no message may be missing from.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestTestSupport
import AtrestWire

/// A message type that both codecs know, by name.
public struct AnyPublicMessage: Sendable, CustomStringConvertible {
  /// The type's name.
  public let name: String
  /// The encoding of a random value.
  public let sample: @Sendable (inout SeededRandom) -> [UInt8]
  /// How the codecs differ about a random value; nil if they agree and it comes back as it went.
  public let valueDisagreement: @Sendable (inout SeededRandom) -> String?
  /// How the codecs differ about bytes.
  public let disagreement: @Sendable ([UInt8]) -> String?

  /// The name, as tests show it.
  public var description: String { name }

  init<Message: PublicMessage>(
    _ type: Message.Type, _ random: @escaping @Sendable (inout SeededRandom) -> Message
  ) {
    name = "\(type)"
    sample = { random(&$0).encoded }
    valueDisagreement = {
      let value = random(&$0)
      if (try? Message(decoding: value.packed)) != value { return "\(type) changed on its way" }
      return AtrestWireCases.disagreement(about: value)
    }
    disagreement = { AtrestWireCases.disagreement(about: $0, as: type) }
  }

  /// Every public message.
  public static let all: [AnyPublicMessage] = sync + devices + accounts + kinds

  private static let sync = [
    AnyPublicMessage(Record.self) { $0.record() },
    AnyPublicMessage(Offer.self) {
      Offer(
        record: $0.record(), written: $0.list(5) { $0.small() }, isRestored: $0.flag())
    },
    AnyPublicMessage(ExchangeRequest.self) { random in
      let offers = random.list(4) { $0.bytes(0...200) }
      return ExchangeRequest(
        cursor: random.maybe { $0.cursor() }, offers: offers,
        segment: random.maybe { $0.segment(offers.count) }, allowsMassDeletion: random.flag(),
        isPeek: random.flag(), deviceTime: WallTime(milliseconds: 1 + Int64(random.small())))
    },
    AnyPublicMessage(ExchangeResponse.self) { random in
      ExchangeResponse(
        refusals: random.list(3) {
          Refusal(
            index: Int($0.small()), reason: .init(rawValue: Int($0.small())),
            message: $0.text(200))
        },
        superseded: random.list(9) { $0.small() }, records: random.list(3) { $0.bytes(0...300) },
        cursor: random.cursor(), more: random.flag(), restarted: random.flag(),
        serverTime: random.time(), head: random.maybe { $0.cursor() },
        takenThrough: random.maybe { OutboxPosition(number: $0.number(), token: $0.number()) },
        isClockDoubtful: random.flag())
    },
    AnyPublicMessage(WatchRequest.self) { WatchRequest(cursor: $0.maybe { $0.cursor() }) },
    AnyPublicMessage(WatchResponse.self) { random in
      WatchResponse(
        after: random.cursor(), records: random.list(3) { $0.bytes(0...300) },
        cursor: random.cursor(), serverTime: random.time())
    },
    AnyPublicMessage(ReconcileRequest.self) { random in
      ReconcileRequest(ranges: random.ranges(), cursor: random.maybe { $0.cursor() })
    },
    AnyPublicMessage(ReconcileResponse.self) { random in
      ReconcileResponse(
        ranges: random.ranges(), records: random.list(3) { $0.bytes(0...300) },
        wanted: random.list(3) { $0.bytes(0...40) }, serverTime: random.time(),
        restarted: random.flag())
    },
  ]

  private static let devices = [
    AnyPublicMessage(EmptyMessage.self) { _ in EmptyMessage() },
    AnyPublicMessage(PairRequest.self) {
      PairRequest(
        code: $0.text(64), deviceName: $0.text(64), nonce: $0.oneIn(3) ? [] : $0.bytes(16...64))
    },
    AnyPublicMessage(PairResponse.self) {
      PairResponse(
        replica: ReplicaID(rawValue: $0.number() | 1), token: $0.text(256),
        accountName: $0.text(64), serverTime: $0.time(), deviceName: $0.text(64))
    },
    AnyPublicMessage(RenewRequest.self) {
      RenewRequest(nonce: $0.oneIn(3) ? [] : $0.bytes(16...64))
    },
    AnyPublicMessage(InviteRequest.self) { InviteRequest(withoutApproval: $0.flag()) },
    AnyPublicMessage(InviteResponse.self) {
      InviteResponse(
        code: $0.text(64), expires: $0.time(), needsApproval: $0.flag(), servesApp: $0.flag())
    },
    AnyPublicMessage(ListPendingDevicesResponse.self) { random in
      ListPendingDevicesResponse(
        pendingDevices: random.list(3) {
          PendingDevice(
            handle: $0.number() | 1, name: $0.text(64), since: $0.time(), expires: $0.time(),
            inviter: $0.replica(), digits: String(100_000 + $0.small() % 900_000))
        })
    },
    AnyPublicMessage(ResolvePendingDeviceRequest.self) {
      ResolvePendingDeviceRequest(handle: $0.number(), allow: $0.flag())
    },
    AnyPublicMessage(ResolvePendingDeviceResponse.self) { random in
      ResolvePendingDeviceResponse(
        admitted: random.maybe {
          .init(replica: ReplicaID(rawValue: $0.number() | 1), name: $0.text(64))
        })
    },
    AnyPublicMessage(DevicesListResponse.self) { random in
      DevicesListResponse(devices: random.list(4) { $0.device() })
    },
    AnyPublicMessage(DevicesRenameRequest.self) {
      DevicesRenameRequest(replica: $0.replica(), name: $0.text(64))
    },
    AnyPublicMessage(DevicesRenameResponse.self) { DevicesRenameResponse(name: $0.text(64)) },
    AnyPublicMessage(DevicesRevokeRequest.self) {
      DevicesRevokeRequest(replica: $0.replica(), withDescendants: $0.flag())
    },
    AnyPublicMessage(DevicesRevokeResponse.self) { random in
      DevicesRevokeResponse(
        revoked: random.list(3) { $0.replica() }, remaining: random.list(3) { $0.replica() },
        spared: random.list(3) { $0.replica() })
    },
  ]

  private static let accounts = [
    AnyPublicMessage(AccountsGetResponse.self) {
      AccountsGetResponse(
        name: $0.text(64), created: $0.time(), devices: $0.small(), records: $0.number(),
        bytes: $0.number(),
        limits: AccountLimits(
          records: $0.number(), bytes: $0.number(), messageBytes: $0.small(),
          recordsPerRequest: $0.small(), valueBytes: $0.small(), recordBytes: $0.small(),
          watchStreams: $0.small()))
    },
    AnyPublicMessage(ServerInfoResponse.self) { random in
      ServerInfoResponse(
        version: random.text(64), serverTime: random.time(),
        limits: AccountLimits(records: random.number(), watchStreams: random.small()),
        capabilities: random.list(5) { .init(rawValue: $0.small()) })
    },
    AnyPublicMessage(AccountsDeleteRequest.self) {
      AccountsDeleteRequest(accountName: $0.text(64))
    },
    AnyPublicMessage(EventsRequest.self) {
      EventsRequest(pageSize: 1 + $0.small() % 500, pageToken: $0.text(64))
    },
    AnyPublicMessage(EventsResponse.self) { random in
      EventsResponse(
        events: random.list(4) {
          AccountEvent(
            number: $0.number() | 1, at: $0.time(), kind: .init(rawValue: Int($0.small())),
            actor: $0.replica(), subject: $0.replica(), detail: Int64(bitPattern: $0.number()),
            count: $0.small() | 1)
        }, nextPageToken: random.text(64))
    },
    AnyPublicMessage(EntitlementsSubmitRequest.self) {
      EntitlementsSubmitRequest(signedTransaction: $0.bytes(0...300), transfer: $0.flag())
    },
    AnyPublicMessage(EntitlementsSubmitResponse.self) { random in
      EntitlementsSubmitResponse(
        rejection: random.maybe {
          .init(
            code: $0.text(64), check: $0.small(), message: $0.text(300), retryable: $0.flag())
        })
    },
    AnyPublicMessage(EntitlementsGetResponse.self) {
      EntitlementsGetResponse(
        appAccountToken: $0.bytes(16...16), verifies: $0.flag(), held: $0.small(),
        serverTime: $0.time())
    },
    AnyPublicMessage(HealthCheckRequest.self) { HealthCheckRequest(service: $0.text(200)) },
    AnyPublicMessage(HealthCheckResponse.self) {
      HealthCheckResponse(state: .init(rawValue: Int($0.small() % 4)) ?? .unknown)
    },
  ]

  private static let kinds = [
    AnyPublicMessage(SessionMessage.self) { random in
      SessionMessage(
        span: random.maybe {
          .init(
            start: Int64(bitPattern: $0.number()), end: Int64(bitPattern: $0.number()),
            outcome: $0.small())
        }, targetMinutes: random.small())
    },
    AnyPublicMessage(WaterMessage.self) { random in
      WaterMessage(
        intake: random.maybe {
          .init(at: Int64(bitPattern: $0.number()), millilitres: $0.small())
        })
    },
    AnyPublicMessage(PreferenceMessage.self) { PreferenceMessage(value: $0.text(300)) },
    AnyPublicMessage(EntitlementMessage.self) {
      EntitlementMessage(signedTransaction: $0.bytes(0...300))
    },
    AnyPublicMessage(ConflictMessage.self) { random in
      ConflictMessage(
        entry: random.maybe {
          Conflict(
            key: $0.record().key, field: $0.small(), lost: $0.register(1 + $0.small() % 99),
            kept: $0.register(1 + $0.small() % 99), noticed: $0.time())
        }, record: random.maybe { $0.record() })
    },
  ]
}

extension SeededRandom {
  fileprivate mutating func cursor() -> Cursor { Cursor(commit: number(), sequence: number()) }

  fileprivate mutating func segment(_ count: Int) -> OutboxSegment {
    let settled = number() >> 2
    let largest: UInt64 = flag() ? 1 : UInt64(UInt32.max)
    var numbers: [UInt64] = []
    for _ in 0..<count {
      numbers.append((numbers.last ?? settled) + .random(in: 1...largest, using: &self))
    }
    return OutboxSegment(
      confirmed: OutboxPosition(number: number(), token: number()), token: number() | 1,
      settledThrough: settled, numbers: numbers)
  }

  fileprivate mutating func ranges() -> [KeyRange] {
    var ends = Set(list(4) { $0.bytes(1...5) }).sorted { $0.lexicographicallyPrecedes($1) }
    if flag() { ends.append([]) }
    var begin: [UInt8] = []
    return ends.map { end in
      defer { begin = end }
      switch Int.random(in: 0..<3, using: &self) {
      case 0: return KeyRange(end: end, content: .settled)
      case 1:
        let fingerprint = Fingerprint(count: number(), sum: number())
        return KeyRange(end: end, content: .fingerprint(fingerprint))
      default:
        // The range's first key and, where it has no end, those that follow.
        let keys = end.isEmpty ? (0..<3).map { begin + [UInt8]($0..<3) } : [begin]
        let items = Set(keys).sorted { $0.lexicographicallyPrecedes($1) }
          .map { KeyRange.Item(key: $0, hash: number()) }
        return KeyRange(end: end, content: .items(items))
      }
    }
  }

  fileprivate mutating func device() -> Device {
    let origins: [DeviceOrigin] = [
      .owner, .renewed(from: ReplicaID(rawValue: 5)),
      .invited(inviter: ReplicaID(rawValue: 5), approver: nil),
      .invited(inviter: ReplicaID(rawValue: 5), approver: ReplicaID(rawValue: .max)),
    ]
    return Device(
      replica: replica(), name: text(64), paired: time(),
      seen: maybe { WallTime(milliseconds: Int64($0.small()) + 1) },
      revoked: maybe { WallTime(milliseconds: -1 - Int64($0.small())) }, isCurrent: flag(),
      origin: origins[Int.random(in: 0..<origins.count, using: &self)])
  }
}
