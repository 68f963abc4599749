// SPDX-License-Identifier: Apache-2.0
// Fuzzes every message of the protocol: whatever decodes can be encoded and decodes to the same.

import AtrestProtocol
import AtrestReplication

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
      WatchEvent(after: cursor, records: records, cursor: cursor, serverTime: Samples.now)
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
    AnyMessage([ListDevicesResponse(devices: [device])]),
    AnyMessage([
      RevokeDeviceRequest(replica: ReplicaID(rawValue: 7)),
      RevokeDeviceRequest(replica: ReplicaID(rawValue: 7), withDescendants: true),
    ]),
    AnyMessage([SubmitTransactionRequest(signedTransaction: Samples.jws, transfer: true)]),
    AnyMessage([
      SubmitTransactionResponse(),
      SubmitTransactionResponse(
        rejection: .init(code: "other_app", check: 8, message: "Another app.", retryable: false)),
    ]),
    AnyMessage([
      GetEntitlementsResponse(
        appAccountToken: Samples.id, verifies: true, held: 2, serverTime: Samples.now)
    ]),
    AnyMessage([HealthCheckRequest(service: ""), HealthCheckRequest(service: "a.B")]),
    AnyMessage([HealthCheckResponse(state: .serving)]),
    AnyMessage([AccountRequest(name: "home")]),
    AnyMessage([
      Invitation(code: "BCDF-GHJKLMNP", expires: Samples.now, address: "127.0.0.1:7443")
    ]),
    AnyMessage([
      ListAccountsResponse(accounts: [
        .init(name: "home", created: Samples.now, devices: 2, records: 40)
      ])
    ]),
    AnyMessage([ListAccountDevicesResponse(entries: [.init(account: "home", device: device)])]),
    AnyMessage([BackupRequest(path: "/backups/a.db")]),
    AnyMessage([BackupResponse(accounts: 1, devices: 2, records: 3, sizeBytes: 4096)]),
    AnyMessage([
      RevokeDeviceResponse(
        revoked: [device.replica], remaining: [ReplicaID(rawValue: 8), ReplicaID(rawValue: 9)],
        spared: [ReplicaID(rawValue: 10)])
    ]),
  ]

  private static let cursor = Cursor(commit: 0x1122_3344, sequence: 42)
  private static let records = Samples.records.map { $0.record.encoded }

  private static let device = Device(
    replica: ReplicaID(rawValue: 7), name: "phone", paired: Samples.now, seen: Samples.now,
    revoked: nil, isCurrent: true,
    origin: .invited(inviter: ReplicaID(rawValue: 5), approver: ReplicaID(rawValue: 6)))

  private static let exchange = ExchangeRequest(
    cursor: cursor,
    offers: Samples.records.map { Offer(record: $0.record, written: [1, 2]).encoded },
    lastKnownHead: Cursor(commit: 0x5566_7788, sequence: 43),
    segment: OutboxSegment(
      confirmed: 1, token: 3, settledThrough: 4,
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

  init<Message: WireMessage>(
    _ samples: [Message], _ more: @escaping @Sendable (Message) throws -> Void = { _ in }
  ) {
    name = "\(Message.self)".lowercased()
    self.samples = samples.map(\.encoded)
    check = { bytes in
      guard let message = try? Message(decoding: bytes) else { return }
      try checkRoundTrip(message)
      // Dropped unknown fields only shorten it. Defaults and varints may add a little.
      try law(
        message.encoded.count <= bytes.count * 2 + 64, "\(Message.self) grows when written again")
      try more(message)
    }
  }
}
