// SPDX-License-Identifier: Apache-2.0
// End to end: devices edit offline, sync through a real server, and converge.

import AtrestClient
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Synchronization
import Testing

@Suite("Devices and a server", .timeLimit(.minutes(20)))
struct SyncTests {
  private func sync(_ devices: TestDevice...) async throws {
    for device in devices { try await device.replica.sync() }
  }

  private func agree(_ devices: TestDevice...) throws -> Bool {
    let records = try devices.map { try $0.replica.allRecords() }
    let digests = Set(try devices.map { try $0.replica.digest() })
    return records.dropFirst().allSatisfy { $0 == records[0] } && digests.count == 1
  }

  @Test("conflicting offline edits end the same everywhere, and what lost can be restored")
  func conflicts() async throws {
    let server = try await TestServer()
    let (phone, tablet) = (
      try await TestDevice("phone", server), try await TestDevice("tablet", server)
    )
    var session = try fast()
    let glass = try water(250)
    try await phone.replica.save(session)
    try await phone.replica.save(glass)
    try await sync(phone, tablet)

    session.targetMinutes = 1080
    try await phone.replica.save(session)
    try phone.replica.delete(RecordKey(kind: .water, id: glass.id.bytes))
    session.targetMinutes = 840
    try await tablet.replica.save(session)
    try await tablet.replica.save(water(300, id: glass.id))
    try await sync(phone, tablet, phone)

    #expect(try agree(phone, tablet))
    #expect(try phone.replica.session(session.id)?.targetMinutes == 840)
    #expect(try phone.replica.waterEntry(glass.id)?.intake.millilitres == 300)
    let entries = try await phone.replica.conflicts()
    #expect(entries.map(\.conflict.field).sorted() == [1, 3])

    let target = try #require(entries.first { $0.conflict.field == 3 })
    try await phone.replica.restore(target)
    try await sync(phone, tablet)
    #expect(try tablet.replica.session(session.id)?.targetMinutes == 1080)
    #expect(try agree(phone, tablet))

    // A new device receives current journal entries, not dismissed ones.
    let laptop = try await TestDevice("laptop", server)
    let report = try await laptop.replica.sync()
    #expect(report.conflicts == 1)
    await #expect(try laptop.replica.conflicts().count == 1)
    await server.stop()
  }

  @Test("two edits that are too large only together: one is refused, and holds nothing up")
  func tooLargeTogether() async throws {
    let server = try await TestServer()
    let (phone, tablet) = (
      try await TestDevice("phone", server), try await TestDevice("tablet", server)
    )
    var sheet = Sheet(id: .random(), fields: RecordFields())
    sheet.fields[integer: 2] = 1
    try await phone.replica.save(sheet)
    try await sync(phone, tablet)
    func filled(_ fields: ClosedRange<FieldNumber>) -> Sheet {
      var copy = sheet
      for field in fields { copy.fields[bytes: field] = [UInt8](repeating: 7, count: 16_000) }
      return copy
    }
    try await tablet.replica.save(filled(3...4))
    try await sync(tablet)
    try await phone.replica.save(filled(5...7))
    try await phone.replica.save(water(250))
    for _ in 0..<2 {
      try await sync(phone, tablet)
      #expect(try agree(phone, tablet))
      #expect(try tablet.replica.water().count == 1)
      let refused = try phone.replica.pending()
      #expect(refused.map(\.refusal?.reason) == [.tooLarge])
    }
    // A smaller edit settles it.
    var smaller = try #require(try await phone.replica.record(of: Sheet.self, sheet.id))
    #expect(smaller.fields[bytes: 5] == nil && smaller.fields[bytes: 3] != nil)
    smaller.fields[integer: 2] = 2
    try await phone.replica.save(smaller)
    try await sync(phone, tablet)
    #expect(try await tablet.replica.record(of: Sheet.self, sheet.id)?.fields[integer: 2] == 2)
    await server.stop()
  }

  @Test("thousands of records travel in pages, and arrive whole")
  func pages() async throws {
    let server = try await TestServer()
    let (phone, tablet) = (
      try await TestDevice("phone", server), try await TestDevice("tablet", server)
    )
    try phone.replica.transaction { transaction in
      for day in 0..<3500 { try transaction.save(fast(daysAgo: day)) }
    }
    let pushed = try await phone.replica.sync()
    #expect(pushed.pushed == 3500)
    #expect(pushed.exchanges >= 4)
    let pulled = try await tablet.replica.sync()
    #expect(pulled.pulled == 3500)
    #expect(try agree(phone, tablet))
    let again = try await phone.replica.sync()
    #expect(again.pulled == 0, "what a device sent does not come back")
    await server.stop()
  }

  @Test(
    "random histories converge through restarts of the server",
    arguments: seeds(4))
  func convergence(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let server = try await TestServer()
    let devices = [
      try await TestDevice("phone", server), try await TestDevice("tablet", server),
      try await TestDevice("laptop", server),
    ]
    let ids = (0..<5).map { _ in RecordUUID.random() }
    for _ in 0..<120 {
      guard let device = devices.randomElement(using: &random),
        let id = ids.randomElement(using: &random)
      else { continue }
      switch Int.random(in: 0..<12, using: &random) {
      case 0...2:
        try await device.replica.save(
          fast(id, targetMinutes: .random(in: 1...2000, using: &random)))
      case 3...4: try await device.replica.save(water(.random(in: 1...900, using: &random), id: id))
      case 5: try device.replica.delete(RecordKey(kind: .session, id: id.bytes))
      case 6: try device.replica.delete(RecordKey(kind: .water, id: id.bytes))
      case 7:
        try await device.replica.setPreference(
          "unit", to: "\(Int.random(in: 0...3, using: &random))")
      case 8:
        if let entry = try await device.replica.conflicts().randomElement(using: &random) {
          try await device.replica.restore(entry)
        }
      case 9 where random.oneIn(4):
        await server.stop()
        try await server.start()
      default: try await device.replica.sync()
      }
    }
    for _ in 0..<2 { try await sync(devices[0], devices[1], devices[2]) }
    #expect(try agree(devices[0], devices[1], devices[2]), "SYNC_SEED=0x\(String(seed, radix: 16))")
    for device in devices { #expect(try device.replica.pending().isEmpty) }
    await server.stop()
  }

  @Test("edits made before pairing, and while the server is away, are kept and arrive")
  func offline() async throws {
    let server = try await TestServer()
    let phone = try TestDevice()
    let early = try fast()
    try await phone.replica.save(early)
    try await phone.replica.pair(try await server.link(), name: "phone")
    let tablet = try await TestDevice("tablet", server)
    await server.stop()
    try await phone.replica.save(water(300))
    await #expect(throws: SyncError.self) { try await phone.replica.sync() }
    #expect(try phone.replica.pending().count == 2)
    try await server.start()
    try await sync(phone, tablet)
    #expect(try tablet.replica.session(early.id) == early)
    #expect(try agree(phone, tablet))
    await server.stop()
  }

  @Test(
    "a server that was put back from a copy gets everything, whoever writes to it first")
  func restoredAndWrittenTo() async throws {
    let server = try await TestServer()
    let (phone, tablet) = (
      try await TestDevice("phone", server), try await TestDevice("tablet", server)
    )
    try await sync(phone, tablet)
    await server.stop()
    try server.backUp()
    try await server.start()
    try await phone.replica.save(fast())
    try await sync(phone)
    await server.stop()
    try server.restore()
    try await server.start()
    // Beyond the phone's sequence: only the commit names show that the history differs.
    for day in 2..<6 { try await tablet.replica.save(fast(daysAgo: day)) }
    try await sync(tablet, phone, tablet)
    #expect(try tablet.replica.sessions().count == 5)
    #expect(try agree(phone, tablet))
    await server.stop()
  }

  @Test("a server set back to an old copy of its data has everything again once each device synced")
  func restoredBackup() async throws {
    let server = try await TestServer()
    let (phone, tablet) = (
      try await TestDevice("phone", server), try await TestDevice("tablet", server)
    )
    try await phone.replica.save(fast())
    try await sync(phone, tablet)
    await server.stop()
    try server.backUp()
    try await server.start()
    for day in 2..<20 { try await phone.replica.save(fast(daysAgo: day)) }
    try await tablet.replica.save(water(400))
    try await sync(phone, tablet, phone)
    let before = try phone.replica.allRecords()
    await server.stop()
    try server.restore()
    try await server.start()

    let report = try await phone.replica.sync()
    #expect(report.restarted)
    try await sync(tablet, phone)
    let pendingDevice = try await TestDevice("laptop", server)
    try await sync(pendingDevice)
    #expect(try pendingDevice.replica.allRecords() == before)
    #expect(try agree(phone, tablet, pendingDevice))
    await server.stop()
  }

  @Test("a watching device has an edit as soon as it is committed")
  func watch() async throws {
    let server = try await TestServer()
    let (phone, tablet) = (
      try await TestDevice("phone", server), try await TestDevice("tablet", server)
    )
    let (news, note) = AsyncStream<Int>.makeStream()
    let watching = Task {
      try await tablet.replica.watch { report, _ in note.yield(report.pulled) }
    }
    var reports = news.makeAsyncIterator()
    _ = await reports.next()  // The exchange at the start of a watch.
    let glass = try water(275)
    try await phone.replica.save(glass)
    try await phone.replica.sync()
    while try tablet.replica.waterEntry(glass.id) == nil { _ = await reports.next() }
    #expect(try agree(phone, tablet))
    watching.cancel()
    _ = await watching.result
    await server.stop()
  }

  @Test(
    "of two signed statements about a purchase the later one stays, whichever device brings it, and before pairing too"
  )
  func entitlements() async throws {
    func statement(signed: Int64) -> [UInt8] {
      let payload = Data(#"{"transactionId":"2000","signedDate":\#(signed)}"#.utf8)
      let segment = payload.base64EncodedString().replacing("=", with: "")
      return Array("e30.\(segment).c2ln".utf8)
    }
    let (purchase, refund) = (
      statement(signed: 1_700_000_000_000), statement(signed: 1_700_000_000_001)
    )
    let server = try await TestServer()
    let phone = try TestDevice()
    try phone.replica.keep(signedTransaction: refund)
    try await phone.replica.pair(try await server.link(), name: "phone")
    let tablet = try await TestDevice("tablet", server)
    try tablet.replica.keep(signedTransaction: purchase)
    try await sync(tablet, phone, tablet)
    #expect(try phone.replica.signedTransactions() == [refund])
    #expect(try tablet.replica.signedTransactions() == [refund])
    #expect(try agree(phone, tablet))
    #expect(try phone.replica.pending().isEmpty && tablet.replica.pending().isEmpty)
    await #expect(try phone.replica.conflicts().isEmpty)
    #expect(throws: ReplicaError.self) { try phone.replica.keep(signedTransaction: [1, 2]) }
    await server.stop()
  }

  @Test("a revoked device is told so, and keeps what it wrote")
  func revoked() async throws {
    let server = try await TestServer()
    let (phone, tablet) = (
      try await TestDevice("phone", server), try await TestDevice("tablet", server)
    )
    try await phone.replica.save(fast())
    let other = try #require(try await tablet.replica.devices().first { !$0.isCurrent })
    try await tablet.replica.revoke(other.replica)
    await #expect(throws: SyncError.accessEnded) { try await phone.replica.sync() }
    #expect(try phone.replica.pending().count == 1)
    await server.stop()
  }

  @Test("accounts do not see each other, whatever their records are called")
  func accounts() async throws {
    let server = try await TestServer()
    let mine = try await TestDevice("phone", server, account: "kim")
    let theirs = try await TestDevice("phone", server, account: "sam")
    let glass = try water(100)
    try await mine.replica.save(glass)
    try await theirs.replica.save(water(999, id: glass.id))
    try await sync(mine, theirs, mine)
    #expect(try mine.replica.waterEntry(glass.id)?.intake.millilitres == 100)
    #expect(try theirs.replica.waterEntry(glass.id)?.intake.millilitres == 999)
    await #expect(try mine.replica.conflicts().isEmpty)
    await server.stop()
  }
}

/// A record of an app's own, of any size.
private struct Sheet: SyncedRecord {
  static let kind = RecordKind(rawValue: 1200)
  let id: RecordUUID
  var fields: RecordFields
}
