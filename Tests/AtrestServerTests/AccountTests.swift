// SPDX-License-Identifier: Apache-2.0
// Accounts.Get and Accounts.Delete.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct AccountTests {
  private let storage: Storage
  private let accounts: AccountsService
  private let kim: DeviceSession

  init() throws {
    storage = try Storage()
    accounts = AccountsService(
      queue: storage.queue, devices: storage.devices,
      quota: AccountQuota(records: 10, bytes: 2000), messageBytes: 4096)
    kim = try storage.session(phone)
  }

  private func get() async throws -> AccountsGetResponse {
    let outcome = await outcome { later throws(Status) in
      try accounts.get(kim, [], answer: later)
    }
    return try AccountsGetResponse(decoding: try outcome.reply)
  }

  private func delete(_ session: DeviceSession? = nil, name: String) async -> UnaryOutcome {
    let bytes = AccountsDeleteRequest(accountName: name).encoded
    return await outcome { later throws(Status) in
      try accounts.delete(session ?? kim, bytes, answer: later)
    }
  }

  @Test("a server tells its version, its limits, and whether it verifies purchases")
  func serverInfo() throws {
    let cell = storage.cell(accounts: accounts)
    let outcome = try cell.serverInfo([], now: WallTime(milliseconds: noon))
    let info = try ServerInfoResponse(decoding: try outcome.reply)
    #expect(info.version == ProgramVersion.text && info.serverTime.milliseconds == noon)
    #expect(info.limits.records == 10 && info.limits.messageBytes == 4096)
    #expect(info.capabilities == [.reconcile, .approval])
  }

  @Test("an account tells what it holds and what it may")
  func holds() async throws {
    _ = try await storage.exchange(phone, request(nil, water(1), water(2)))
    let account = try await get()
    #expect(account.name == "kim" && account.created.milliseconds == noon)
    #expect(account.devices == 2 && account.records == 2)
    #expect(account.bytes == UInt64(water(1).encoded.count + water(2).encoded.count))
    #expect(
      account.limits
        == AccountLimits(
          records: 10, bytes: 2000, messageBytes: 4096, recordsPerRequest: 1000,
          valueBytes: 16 * 1024, recordBytes: 64 * 1024, watchStreams: 8))
    storage.registry.revoke(phone, at: WallTime(milliseconds: noon))
    await #expect(throws: Status.unknownDevice) { try await get() }
    await storage.queue.close()
  }

  @Test("only the account's own name ends it", arguments: ["", "Kim", "kim ", "sam"])
  func wrongName(name: String) async throws {
    #expect(await delete(name: name).failure == .wrongAccountName)
    #expect(try await get().name == "kim")
    await storage.queue.close()
  }

  @Test("a device ends its account, and all devices' access and streams, its own too")
  func ends() async throws {
    _ = try await storage.exchange(phone, request(nil, water(1)))
    let sinks = [RecordingSink(), RecordingSink()]
    for (sink, replica) in zip(sinks, [phone, tablet]) {
      _ = try storage.sync.watch(
        try storage.session(replica), WatchRequest(cursor: nil).encoded, sink: sink)
      _ = try await sink.nextEvent()
    }
    _ = try await delete(name: "kim").reply
    for sink in sinks { #expect(try await sink.finished.next() == .unknownDevice) }
    let now = WallTime(milliseconds: noon)
    for replica in [phone, tablet] {
      #expect(storage.registry.authenticate(credentials(replica), at: now).device == nil)
    }
    #expect(await delete(name: "kim").failure == .unknownDevice)
    // The other account is unaffected.
    #expect(try await storage.exchange(ReplicaID(rawValue: 3), request()).records.isEmpty)
    await storage.queue.close()
    let store = try openStore(storage.folder)
    defer { store.close() }
    let events = try store.transaction { t throws(StoreError) in
      try t.events.page(of: AccountID(rawValue: 1), before: nil, limit: 10)
    }
    #expect(events.map(\.event.kind) == [.accountRemoved])
    #expect(events.first?.event.actor == phone)
  }

  @Test("of two devices that end it at once one is told so, and the other has no access any more")
  func twice() async throws {
    let answers = Recorder<UnaryOutcome>()
    let bytes = AccountsDeleteRequest(accountName: "kim").encoded
    try await storage.whileCommitting {
      for replica in [phone, tablet] {
        _ = try accounts.delete(try storage.session(replica), bytes) {
          Answer { outcome, _ in answers.note(outcome) }
        }
      }
    }
    let outcomes = [try await answers.next(), try await answers.next()]
    #expect(outcomes.compactMap(\.failure) == [.unknownDevice])
    await storage.queue.close()
  }
}
