// SPDX-License-Identifier: Apache-2.0
// Round trips of the messages of the server's owner; out-of-range values are refused.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@Suite("The owner's messages", .timeLimit(.minutes(20)))
struct AdminMessageTests {
  private let event = AccountEvent(
    number: .max, at: WallTime(milliseconds: 7), kind: .codeRefused,
    actor: ReplicaID(rawValue: 8), subject: ReplicaID(rawValue: .max), detail: -9, count: 10)

  private func device(_ origin: DeviceOrigin) -> Device {
    Device(
      replica: ReplicaID(rawValue: .max), name: "Café ☕️", paired: WallTime(milliseconds: 1),
      seen: nil, revoked: WallTime(milliseconds: 2), origin: origin)
  }

  @Test("come back as they went")
  func roundTrip() throws {
    func check<M: PackedMessage>(_ message: M) throws {
      #expect(try M(unpacking: message.packed) == message)
    }
    try check(AccountRequest(name: "home"))
    try check(Invitation(code: "c", expires: WallTime(milliseconds: 9), address: "[::1]:1"))
    try check(
      ListAccountsResponse(accounts: [
        .init(name: "home", created: WallTime(milliseconds: 4), devices: 2, records: 9, bytes: 77)
      ]))
    let (first, second) = (ReplicaID(rawValue: 1), ReplicaID(rawValue: 2))
    let origins: [DeviceOrigin] = [
      .owner, .renewed(from: first), .invited(inviter: first, approver: nil),
      .invited(inviter: first, approver: first), .invited(inviter: first, approver: second),
    ]
    try check(
      ListDevicesResponse(
        entries: origins.map { .init(account: "home", device: device($0)) }))
    try check(BackupRequest(path: "/backups/a.db"))
    try check(BackupResponse(accounts: 1, devices: 2, records: 3, sizeBytes: 4096))
    try check(AdminEventsRequest(account: "home", pageSize: 1, pageToken: "3"))
    try check(
      AdminEventsResponse(
        entries: [.init(account: 4, accountName: "home", event: event)], nextPageToken: "3"))
    try check(CheckEventsRequest(through: 3))
    try check(CheckEventsResponse(events: 5, broken: 4, hash: [UInt8](0..<32)))
  }

  @Test("a request for events without a limit gets the usual page, and none gets more than 500")
  func limits() throws {
    #expect(try AdminEventsRequest(unpacking: []).pageSize == EventPage.usual)
    #expect(throws: WireError.self) {
      try AdminEventsRequest(unpacking: AdminEventsRequest(pageSize: .max).packed)
    }
  }

  @Test("hostile bytes never trap")
  func hostile() {
    let seeds = [
      AdminEventsResponse(
        entries: [.init(account: 4, accountName: "home", event: event)], nextPageToken: "3"
      ).packed,
      ListDevicesResponse(entries: [.init(account: "home", device: device(.owner))]).packed,
    ]
    checkLaw(cases: 3_000) { random in
      var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      _ = try? AdminEventsRequest(unpacking: bytes)
      _ = try? AdminEventsResponse(unpacking: bytes)
      _ = try? ListAccountsResponse(unpacking: bytes)
      _ = try? ListDevicesResponse(unpacking: bytes)
      _ = try? CheckEventsResponse(unpacking: bytes)
      return true
    }
  }
}
