// SPDX-License-Identifier: Apache-2.0
// Fuzzes every message of the protocol: whatever decodes can be encoded and decodes to the same.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestWire
import AtrestWireCases

extension FuzzTarget {
  /// The first byte selects the message type of the rest.
  static let request = FuzzTarget(name: "request", limitBytes: 4096) { bytes in
    var input = Input(bytes)
    let index = Int(input.byte()) % messages.count
    try messages[index].check(input.remainder())
  } seeds: {
    messages.enumerated().flatMap { index, message in
      message.samples.enumerated().map { number, sample in
        (name: "\(message.name)-\(number)", input: [UInt8(index)] + sample)
      }
    }
  }

  /// Append new ones at the end: the corpus refers to them by index.
  private static let messages: [AnyMessage] = [
    AnyMessage([ExchangeRequest(cursor: nil), exchange]) { request in
      for offer in request.offers { _ = try? Offer(decoding: offer) }
    },
    AnyMessage([response]) { response in
      for record in response.records { _ = try? Record(decoding: record) }
    },
    AnyMessage([ReconcileRequest(ranges: ranges)]) { try checkRanges($0.ranges) },
    AnyMessage([
      ReconcileResponse(ranges: ranges, records: records, wanted: [[1]], serverTime: Samples.now)
    ]) { try checkRanges($0.ranges) },
    AnyMessage([WatchRequest(cursor: nil), WatchRequest(cursor: cursor)]),
    AnyMessage([
      WatchResponse(after: cursor, records: records, cursor: cursor, serverTime: Samples.now)
    ]),
    AnyMessage([EmptyMessage()]),
    AnyMessage([PairRequest(code: "BCDF-GHJKLMNP", deviceName: "phone")]),
    AnyMessage([
      PairResponse(
        replica: ReplicaID(rawValue: 7), token: String(repeating: "a", count: 80),
        accountName: "home", serverTime: Samples.now, deviceName: "phone")
    ]),
    AnyMessage([RenewRequest(), RenewRequest(nonce: Samples.id)]),
    AnyMessage([InviteResponse(code: "BCDF-GHJKLMNP", expires: Samples.now)]),
    AnyMessage([DevicesListResponse(devices: [device])]),
    AnyMessage([
      DevicesRevokeRequest(replica: ReplicaID(rawValue: 7)),
      DevicesRevokeRequest(replica: ReplicaID(rawValue: 7), withDescendants: true),
    ]),
    AnyMessage([EntitlementsSubmitRequest(signedTransaction: Samples.jws, transfer: true)]),
    AnyMessage([
      EntitlementsSubmitResponse(),
      EntitlementsSubmitResponse(
        rejection: .init(code: "other_app", check: 8, message: "Another app.", retryable: false)),
    ]),
    AnyMessage([
      EntitlementsGetResponse(
        appAccountToken: Samples.id, verifies: true, held: 2, serverTime: Samples.now)
    ]),
    AnyMessage([HealthCheckRequest(service: ""), HealthCheckRequest(service: "a.B")]),
    AnyMessage([HealthCheckResponse(state: .serving)]),
    AnyMessage(owner: [AccountRequest(name: "home")]),
    AnyMessage(owner: [
      Invitation(code: "BCDF-GHJKLMNP", expires: Samples.now, address: "127.0.0.1:7443")
    ]),
    AnyMessage(owner: [
      ListAccountsResponse(accounts: [
        .init(name: "home", created: Samples.now, devices: 2, records: 40)
      ])
    ]),
    AnyMessage(owner: [
      ListDevicesResponse(entries: [.init(account: "home", device: device)])
    ]),
    AnyMessage(owner: [BackupRequest(path: "/backups/a.db")]),
    AnyMessage(owner: [BackupResponse(accounts: 1, devices: 2, records: 3, sizeBytes: 4096)]),
    AnyMessage([
      DevicesRevokeResponse(
        revoked: [device.replica], remaining: [ReplicaID(rawValue: 8), ReplicaID(rawValue: 9)],
        spared: [ReplicaID(rawValue: 10)])
    ]),
    AnyMessage([InviteRequest(withoutApproval: true)]),
    AnyMessage([
      ListPendingDevicesResponse(pendingDevices: [
        PendingDevice(
          handle: 7, name: "phone", since: Samples.now, expires: Samples.now,
          inviter: ReplicaID(rawValue: 5), digits: "000123")
      ])
    ]),
    AnyMessage([ResolvePendingDeviceRequest(handle: 7, allow: true)]),
    AnyMessage([
      ResolvePendingDeviceResponse(),
      ResolvePendingDeviceResponse(admitted: .init(replica: ReplicaID(rawValue: 7), name: "phone")),
    ]),
    AnyMessage([DevicesRenameRequest(replica: ReplicaID(rawValue: 7), name: "tablet")]),
    AnyMessage([DevicesRenameResponse(name: "tablet 2")]),
    AnyMessage([
      AccountsGetResponse(
        name: "home", created: Samples.now, devices: 2, records: 3, bytes: 4,
        limits: AccountLimits(records: 5, messageBytes: 6, watchStreams: 7))
    ]),
    AnyMessage([
      ServerInfoResponse(
        version: "1.2.0", serverTime: Samples.now, limits: AccountLimits(records: 5),
        capabilities: [.reconcile, .init(rawValue: 99)])
    ]),
    AnyMessage([AccountsDeleteRequest(accountName: "home")]),
    AnyMessage([EventsRequest(pageSize: 9, pageToken: "7")]),
    AnyMessage([
      EventsResponse(
        events: [
          AccountEvent(number: 7, at: Samples.now, kind: .codeRefused, detail: -9, count: 2)
        ],
        nextPageToken: "7")
    ]),
    AnyMessage([
      SessionMessage(span: .init(start: 1, end: 2, outcome: 1), targetMinutes: 960),
      SessionMessage(),
    ]),
    AnyMessage([WaterMessage(intake: .init(at: 1, millilitres: 250))]),
    AnyMessage([PreferenceMessage(value: "dark")]),
    AnyMessage([EntitlementMessage(signedTransaction: Samples.jws)]),
    AnyMessage([ConflictMessage(entry: nil), ConflictMessage(entry: conflict)]),
  ]

  private static let conflict = Conflict(
    key: RecordKey(kind: .water, id: Samples.id), field: 2,
    lost: Register(
      field: 2, stamp: Stamp(time: HybridTime(Samples.now), replica: ReplicaID(rawValue: 7)),
      value: [0x12, 0x00]),
    kept: Register(
      field: 2, stamp: Stamp(time: HybridTime(Samples.now), replica: ReplicaID(rawValue: 8)),
      value: []), noticed: Samples.now)
  private static let cursor = Cursor(commit: 0x1122_3344, sequence: 42)
  private static let records = Samples.records.map { $0.record.encoded }

  private static let device = Device(
    replica: ReplicaID(rawValue: 7), name: "phone", paired: Samples.now, seen: Samples.now,
    revoked: nil, isCurrent: true,
    origin: .invited(inviter: ReplicaID(rawValue: 5), approver: ReplicaID(rawValue: 6)))

  private static let exchange = ExchangeRequest(
    cursor: cursor,
    offers: Samples.records.map { Offer(record: $0.record, written: [1, 2]).encoded },
    segment: OutboxSegment(
      confirmed: OutboxPosition(number: 2, token: 1), token: 3, settledThrough: 4,
      numbers: Samples.records.indices.map { UInt64(5 + 2 * $0) }),
    allowsMassDeletion: true, isPeek: true)

  private static let response = ExchangeResponse(
    refusals: [Refusal(index: 1, reason: .invalid, message: "The record breaks a rule.")],
    superseded: [2], records: records, cursor: cursor, more: true, restarted: true,
    serverTime: Samples.now, head: Cursor(commit: 0x5566_7788, sequence: 43),
    takenThrough: OutboxPosition(number: 12, token: 3))

  private static let ranges: [KeyRange] = [
    KeyRange(end: [0, 0, 0, 1], content: .settled),
    KeyRange(end: [0, 0, 0, 2], content: .fingerprint(Fingerprint(count: 3, sum: 4))),
    KeyRange(end: [], content: .items([KeyRange.Item(key: [0, 0, 0, 2, 9], hash: 5)])),
  ]

  private static func checkRanges(_ ranges: [KeyRange]) throws {
    try law(ranges.count <= KeyRange.limit, "ranges are bounded")
    var last: [UInt8] = []
    for range in ranges {
      try law(
        range.end.isEmpty || last.lexicographicallyPrecedes(range.end), "ranges are ascending")
      last = range.end
    }
  }
}

/// A message type with sample values.
private struct AnyMessage: Sendable {
  let name: String
  let samples: [[UInt8]]
  let check: @Sendable ([UInt8]) throws -> Void

  /// A message of the public services, which both codecs read and write.
  init<Message: PublicMessage>(
    _ samples: [Message], _ more: @escaping @Sendable (Message) throws -> Void = { _ in }
  ) {
    name = "\(Message.self)".lowercased()
    self.samples = samples.map(\.encoded)
    check = { bytes in
      try checkAgreement(about: bytes, as: Message.self)
      guard let message = try? Message(decoding: bytes) else { return }
      try checkRoundTrip(message)
      try checkSize(of: message.encoded, readFrom: bytes, Message.self)
      try more(message)
    }
  }

  /// A message of the server's owner.
  init<Message: PackedMessage>(owner samples: [Message]) {
    name = "\(Message.self)".lowercased()
    self.samples = samples.map(\.packed)
    check = { bytes in
      guard let message = try? Message(unpacking: bytes) else { return }
      let packed = message.packed
      try law((try? Message(unpacking: packed)) == message, "\(Message.self) changes on its way")
      try checkSize(of: packed, readFrom: bytes, Message.self)
    }
  }
}

/// Checks that dropped unknown fields only shorten a message. Defaults and varints may add a
/// little.
private func checkSize(of written: [UInt8], readFrom bytes: [UInt8], _ type: Any.Type) throws {
  try law(written.count <= bytes.count * 2 + 64, "\(type) grows when written again")
}

/// Checks that the client's codec and the server's see the same in bytes.
func checkAgreement<Message: PublicMessage>(
  about bytes: [UInt8], as type: Message.Type
) throws(BrokenLaw) {
  if let words = disagreement(about: bytes, as: type) {
    throw BrokenLaw(description: "both codecs agree: \(words)")
  }
}
