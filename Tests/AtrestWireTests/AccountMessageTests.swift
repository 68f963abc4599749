// SPDX-License-Identifier: Apache-2.0
// Round trips of the pending-device, account and event messages; out-of-range values are refused.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@Suite("Pending devices, accounts and events on the wire", .timeLimit(.minutes(20)))
struct AccountMessageTests {
  private let pendingDevice = PendingDevice(
    handle: .max, name: "Café", since: WallTime(milliseconds: 1),
    expires: WallTime(milliseconds: 2), inviter: ReplicaID(rawValue: 3), digits: "000123")
  private let event = AccountEvent(
    number: .max, at: WallTime(milliseconds: 7), kind: .codeRefused,
    actor: ReplicaID(rawValue: 8), subject: ReplicaID(rawValue: .max), detail: -9, count: 10)
  private let account = AccountsGetResponse(
    name: "home", created: WallTime(milliseconds: 1), devices: 2, records: 3, bytes: 4,
    limits: AccountLimits(
      records: 5, bytes: 6, messageBytes: 7, recordsPerRequest: 8, valueBytes: 9,
      recordBytes: 10, watchStreams: 11))

  @Test("a pending device's digits are those of its nonce and its code, always six")
  func digits() throws {
    func digits(_ code: String, _ nonce: [UInt8]) -> String {
      PairRequest(code: code, deviceName: "phone", nonce: nonce).digits
    }
    // The SHA-256 of "atrest digits", the 32 bytes 00 to 1f, and the code.
    #expect(digits("BCDFGHJKLMNPQ", Array(0..<32)) == "326215")
    #expect(digits("BCDFGHJKLMNPQ", Array(1..<33)) != digits("BCDFGHJKLMNPQ", Array(0..<32)))
    #expect(digits("BCDFGHJKLMNPR", Array(0..<32)) != digits("BCDFGHJKLMNPQ", Array(0..<32)))
    #expect(digits("BCDFGHJKLMNPQ", []).isEmpty)
    for number in 0..<500 as Range<UInt16> {
      let nonce = [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: 14)
      #expect(digits("BCDFGHJKLMNPQ", nonce).utf8.count == 6)
    }
    for wrong in ["", "12345", "1234567", "12345a", "１２"] {
      var pendingDevice = pendingDevice
      pendingDevice.digits = wrong
      let bytes = ListPendingDevicesResponse(pendingDevices: [pendingDevice]).encoded
      #expect(throws: WireError.self) { try ListPendingDevicesResponse(decoding: bytes) }
    }
  }

  @Test("come back as they went")
  func roundTrip() throws {
    func check<M: WireMessage>(_ message: M) throws {
      #expect(try M(decoding: message.encoded) == message)
    }
    try check(InviteRequest())
    try check(InviteRequest(withoutApproval: true))
    try check(ListPendingDevicesResponse(pendingDevices: []))
    try check(ListPendingDevicesResponse(pendingDevices: [pendingDevice, pendingDevice]))
    try check(ResolvePendingDeviceRequest(handle: .max, allow: true))
    try check(ResolvePendingDeviceRequest(handle: 1, allow: false))
    try check(ResolvePendingDeviceResponse())
    try check(
      ResolvePendingDeviceResponse(
        admitted: .init(replica: ReplicaID(rawValue: 1), name: "phone 2")))
    try check(DevicesRenameRequest(replica: ReplicaID(rawValue: 1), name: "tablet"))
    try check(DevicesRenameResponse(name: "tablet 2"))
    try check(account)
    try check(AccountsDeleteRequest(accountName: "home"))
    try check(
      ServerInfoResponse(
        version: "1.2.0", serverTime: WallTime(milliseconds: 3), limits: AccountLimits(records: 4),
        capabilities: [.reconcile, .purchases, .init(rawValue: 77)]))
    try check(EventsRequest(pageSize: 500, pageToken: "5"))
    try check(EventsResponse(events: [event, event], nextPageToken: "4"))
  }

  @Test("an invitation from before approvals asks for one; so does an empty request")
  func oldInvitation() throws {
    #expect(try InviteRequest(decoding: EmptyMessage().encoded) == InviteRequest())
  }

  @Test("a server that tells no limits is understood")
  func oldAccount() throws {
    let bare = try AccountsGetResponse(decoding: [])
    #expect(bare.limits == AccountLimits())
  }

  @Test("an event of a kind that is not known yet keeps its number")
  func newKind() throws {
    var newer = event
    newer.kind = AccountEvent.Kind(rawValue: 4000)
    let page = EventsResponse(events: [newer])
    #expect(try EventsResponse(decoding: page.encoded) == page)
  }

  @Test("a request for events without a limit gets the usual page, and none gets more than 500")
  func limits() throws {
    #expect(try EventsRequest(decoding: []).pageSize == EventPage.usual)
    #expect(throws: WireError.self) {
      try EventsRequest(decoding: EventsRequest(pageSize: 501).encoded)
    }
  }

  @Test("a pending device without a handle, and an event without a number or a count, are refused")
  func incomplete() {
    var nobody = pendingDevice
    nobody.handle = 0
    #expect(throws: WireError.self) {
      try ListPendingDevicesResponse(
        decoding: ListPendingDevicesResponse(pendingDevices: [nobody]).encoded)
    }
    for change in [\AccountEvent.number, nil] {
      var nothing = event
      if let change { nothing[keyPath: change] = 0 } else { nothing.count = 0 }
      #expect(throws: WireError.self) {
        try EventsResponse(decoding: EventsResponse(events: [nothing]).encoded)
      }
    }
  }

  @Test(
    "a nonce has no bytes, or 16 to 64; names have at most 64", arguments: [1, 15, 65, 4000])
  func bounds(count: Int) {
    let nonce = [UInt8](repeating: 1, count: count)
    #expect(throws: WireError.self) {
      try PairRequest(
        decoding: PairRequest(code: "c", deviceName: "d", nonce: nonce).encoded)
    }
    let name = String(repeating: "n", count: 64 + count)
    #expect(throws: WireError.self) {
      try DevicesRenameRequest(
        decoding: DevicesRenameRequest(replica: ReplicaID(rawValue: 1), name: name).encoded)
    }
    #expect(throws: WireError.self) {
      try AccountsDeleteRequest(decoding: AccountsDeleteRequest(accountName: name).encoded)
    }
  }
}
