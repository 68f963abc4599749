// SPDX-License-Identifier: Apache-2.0
// Newcomers with the right code: how they wait, who lets them in, and that each hears one thing.

import Foundation
import GRPC
import Replication
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Transport

@testable import AtrestServer

/// A call of Pair that waits, as the transport holds it.
private final class Caller: Sendable {
  let answers = Recorder<UnaryOutcome>()
  private let ends = Mutex<[@Sendable () -> Void]>([])

  /// Begins the call, and returns when the server knows whether it waits.
  init(
    _ devices: DevicesService, _ queue: CommitQueue, _ code: String, name: String = "laptop",
    nonce: [UInt8] = []
  ) async {
    let bytes = PairRequest(code: code, deviceName: name, nonce: nonce).encoded
    let answer: Answer = { [answers] outcome, _ in answers.note(outcome) }
    do throws(Status) {
      let outcome = try devices.pair(
        bytes, onEnd: { end in ends.withLock { $0.append(end) } }, answer: { answer })
      if case .later = outcome {} else { answers.note(outcome) }
    } catch {
      answers.note(.fail(error))
    }
    await queue.settle()
  }

  /// The caller gives up.
  func hangUp() {
    for end in ends.withLock({ $0 }) { end() }
  }

  var welcome: PairResponse {
    get async throws { try PairResponse(decoding: try await answers.next().reply) }
  }

  var failure: Status? {
    get async throws { try await answers.next().failure }
  }
}

extension CommitQueue {
  /// Waits for what was submitted before.
  fileprivate func settle() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let job = Operation(use: .reads) { _ throws(StoreError) in
      } completion: { _, _ in
        done.resume()
      }
      if !submit(job) { done.resume() }
    }
  }
}

@Suite struct ApprovalTests {
  private let storage: Storage
  private let devices: DevicesService
  private let timers = Recorder<@Sendable () -> Void>()
  private let kim: Session
  private let tab: Session
  private let nonce = [UInt8](repeating: 7, count: 16)

  init() throws {
    storage = try Storage()
    let timers = timers
    devices = DevicesService(
      queue: storage.queue, directory: storage.directory, environment: storage.world.environment,
      logger: quiet, wake: { _, work in timers.note(work) })
    kim = try storage.session(phone)
    tab = try storage.session(tablet)
  }

  private func invite(_ session: Session? = nil) async throws -> String {
    let outcome = await outcome { later throws(Status) in
      try devices.invite(session ?? kim, [], answer: later)
    }
    let answer = try InviteResponse(decoding: try outcome.reply)
    #expect(answer.needsApproval)
    return answer.code
  }

  private func call(
    _ code: String, name: String = "laptop", nonce: [UInt8]? = nil
  ) async -> Caller {
    await Caller(devices, storage.queue, code, name: name, nonce: nonce ?? self.nonce)
  }

  private func newcomers(_ session: Session? = nil) throws -> [Newcomer] {
    try NewcomersResponse(decoding: try devices.newcomers(session ?? kim, []).reply).newcomers
  }

  private func decide(
    _ handle: UInt64, _ allow: Bool, by session: Session? = nil
  ) async throws -> DecideResponse.Admitted? {
    let bytes = DecideRequest(handle: handle, allow: allow).encoded
    let outcome = await outcome { later throws(Status) in
      try devices.decide(session ?? kim, bytes, answer: later)
    }
    return try DecideResponse(decoding: try outcome.reply).admitted
  }

  private func stored() async throws -> [DeviceEntry] {
    await storage.queue.close()
    let store = try openStore(storage.folder)
    defer { store.close() }
    return try store.transaction { t throws(StoreError) in
      try t.devices(of: AccountID(rawValue: 1))
    }
  }

  @Test("whoever has a device's code waits until a device of the account says yes")
  func allows() async throws {
    let caller = await call(try await invite())
    #expect(caller.answers.all.isEmpty)
    let waiting = try #require(try newcomers(tab).first)
    #expect(waiting.name == "laptop" && waiting.inviter == phone && waiting.handle != 0)
    #expect(waiting.since.milliseconds == noon)
    #expect(waiting.expires.milliseconds == noon + PairingCode.lifeMilliseconds)
    let admitted = try #require(try await decide(waiting.handle, true, by: tab))
    let welcome = try await caller.welcome
    #expect(welcome.replica == admitted.replica && admitted.name == "laptop")
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(welcome.token)")
    let session = storage.directory.authenticate(metadata, at: WallTime(milliseconds: noon))
    #expect(session?.account === kim.account)
    #expect(try newcomers().isEmpty)
    #expect(try await stored().map(\.name).sorted() == ["device 1", "device 2", "laptop"])
  }

  @Test("a no looks like a wrong code, to the first call and to every later one")
  func denies() async throws {
    let code = try await invite()
    let caller = await call(code)
    let handle = try #require(try newcomers().first?.handle)
    #expect(try await decide(handle, false) == nil)
    #expect(try await caller.failure == .badCode)
    #expect(try await call(code).failure == .badCode)
    #expect(try newcomers().isEmpty)
    await #expect(throws: Status.nobodyWaits) { try await decide(handle, true) }
    #expect(try await stored().count == 2)
  }

  @Test("a newcomer gets the name that is free when it is let in")
  func namesake() async throws {
    let caller = await call(try await invite(), name: "device 2")
    let handle = try #require(try newcomers().first?.handle)
    #expect(try await decide(handle, true)?.name == "device 2 2")
    #expect(try await caller.welcome.deviceName == "device 2 2")
  }

  @Test("a code that needs nobody's approval, and the owner's, let in at once")
  func without() async throws {
    let bytes = InviteRequest(withoutApproval: true).encoded
    let made = await outcome { later throws(Status) in
      try devices.invite(kim, bytes, answer: later)
    }
    let invited = try InviteResponse(decoding: try made.reply)
    #expect(!invited.needsApproval)
    _ = try await call(invited.code).welcome
    let admin = AdminService(
      queue: storage.queue, directory: storage.directory, devices: devices,
      environment: storage.world.environment, address: { "" })
    let owned = await outcome { later throws(Status) in
      try admin.inviteDevice(AccountRequest(name: "kim").encoded, answer: later)
    }
    _ = try await call(try Invitation(decoding: try owned.reply).code).welcome
  }

  @Test("a repeated call waits on in place of the old one, as the same newcomer")
  func again() async throws {
    let code = try await invite()
    let first = await call(code, name: "laptop")
    let before = try newcomers()
    let second = await call(code, name: "another name")
    #expect(try await first.failure == .calledAgain)
    #expect(try newcomers() == before)
    _ = try await decide(try #require(before.first?.handle), true)
    #expect(try await second.welcome.deviceName == "laptop")
  }

  @Test("an answer that was lost is given again until the code ends, and to nobody else")
  func answeredAgain() async throws {
    let code = try await invite()
    let first = await call(code)
    let handle = try #require(try newcomers().first?.handle)
    _ = try await decide(handle, true)
    let welcome = try await first.welcome
    storage.world.now += PairingCode.lifeMilliseconds - 1
    var repeated = try await call(code).welcome
    repeated.serverTime = welcome.serverTime
    #expect(repeated == welcome)
    #expect(try await call(code, nonce: Array(nonce.dropLast()) + [8]).failure == .badCode)
    #expect(try await call(code, nonce: []).failure == .badCode)
    #expect(try await call(String(code.dropLast()) + "B").failure == .badCode)
    storage.world.now += 1
    #expect(try await call(code).failure == .badCode)
    #expect(try await stored().count == 3)
  }

  @Test("a device that was sent away since is not answered again")
  func revokedSince() async throws {
    let code = try await invite()
    let caller = await call(code)
    let admitted = try await decide(try #require(try newcomers().first?.handle), true)
    let replica = try #require(admitted).replica
    _ = try await caller.welcome
    let revoked = await outcome { later throws(Status) in
      try devices.revoke(kim, RevokeDeviceRequest(replica: replica).encoded, answer: later)
    }
    _ = try revoked.reply
    #expect(try await call(code).failure == .badCode)
  }

  @Test("the first right try binds a code: to others it is a wrong one, and costs it no try")
  func bound() async throws {
    let code = try await invite()
    let first = await call(code)
    let other = [UInt8](repeating: 9, count: 16)
    for _ in 0..<PairingCode.tries + 1 {
      #expect(try await call(code, name: "thief", nonce: other).failure == .badCode)
      #expect(try await call(code, name: "thief", nonce: []).failure == .badCode)
    }
    let waiting = try newcomers()
    #expect(waiting.map(\.name) == ["laptop"])
    _ = try await decide(try #require(waiting.first?.handle), true)
    _ = try await first.welcome
  }

  @Test("a newcomer with a nonce whose call was lost can be let in, and comes back for its answer")
  func comesBack() async throws {
    let code = try await invite()
    let lost = await call(code)
    lost.hangUp()
    let handle = try #require(try newcomers().first?.handle)
    let admitted = try await decide(handle, true)
    #expect(try await call(code).welcome.replica == admitted?.replica)
    #expect(lost.answers.all.isEmpty)
  }

  @Test("without a nonce a lost call takes the code with it")
  func lostForGood() async throws {
    let code = try await invite()
    let lost = await call(code, nonce: [])
    let handle = try #require(try newcomers().first?.handle)
    lost.hangUp()
    #expect(try newcomers().isEmpty)
    await #expect(throws: Status.nobodyWaits) { try await decide(handle, true) }
    #expect(try await call(code, nonce: []).failure == .badCode)
    #expect(try await stored().count == 2)
  }

  @Test("without a nonce a call that lasts is answered like any other")
  func plain() async throws {
    let caller = await call(try await invite(), nonce: [])
    _ = try await decide(try #require(try newcomers().first?.handle), true)
    let welcome = try await caller.welcome
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(welcome.token)")
    #expect(
      storage.directory.authenticate(metadata, at: WallTime(milliseconds: noon)) != nil)
  }

  @Test(
    "waiting ends with the code, like a wrong one: when its time is over, or somebody decides too late",
    arguments: [false, true])
  func expires(isDecided: Bool) async throws {
    let code = try await invite()
    let caller = await call(code)
    let handle = try #require(try newcomers().first?.handle)
    let timer = try await timers.next()
    // Early, as a clock that was set back makes it: it waits on.
    timer()
    await storage.queue.settle()
    #expect(caller.answers.all.isEmpty)
    storage.world.now += PairingCode.lifeMilliseconds
    #expect(try newcomers().isEmpty)
    #expect(caller.answers.all.isEmpty)
    if isDecided {
      await #expect(throws: Status.nobodyWaits) { try await decide(handle, true) }
    } else {
      try await timers.next()()
    }
    #expect(try await caller.failure == .badCode)
    #expect(try await stored().count == 2)
  }

  @Test("an account neither sees nor decides about another account's newcomers")
  func foreign() async throws {
    let caller = await call(try await invite())
    let sam = try storage.session(ReplicaID(rawValue: 3))
    #expect(try newcomers(sam).isEmpty)
    let handle = try #require(try newcomers().first?.handle)
    await #expect(throws: Status.nobodyWaits) { try await decide(handle, true, by: sam) }
    #expect(caller.answers.all.isEmpty)
  }

  @Test("with the access of a device end its codes, and those who wait with them; others wait on")
  func inviterRevoked() async throws {
    let unused = try await invite(tab)
    let mine = await call(try await invite(tab))
    let other = await call(try await invite(kim), nonce: [UInt8](repeating: 1, count: 20))
    let revoked = await outcome { later throws(Status) in
      try devices.revoke(kim, RevokeDeviceRequest(replica: tablet).encoded, answer: later)
    }
    _ = try revoked.reply
    #expect(try await mine.failure == .badCode)
    #expect(try await call(unused, nonce: []).failure == .badCode)
    #expect(try newcomers().map(\.inviter) == [phone])
    #expect(other.answers.all.isEmpty)
    #expect(throws: Status.unknownDevice) { try newcomers(tab) }
    let handle = try #require(try newcomers().first?.handle)
    await #expect(throws: Status.unknownDevice) { try await decide(handle, true, by: tab) }
  }

  @Test("what a device asks in the commit that ends its access is refused, whatever it asks")
  func inviterRevokedBefore() async throws {
    let waiting = await call(try await invite(kim))
    let handle = try #require(try newcomers().first?.handle)
    let answers = Recorder<UnaryOutcome>()
    let note: Answer = { outcome, _ in answers.note(outcome) }
    try await storage.whileCommitting {
      _ = try devices.revoke(kim, RevokeDeviceRequest(replica: tablet).encoded) { note }
      _ = try devices.invite(tab, InviteRequest(withoutApproval: true).encoded) { note }
      _ = try devices.decide(tab, DecideRequest(handle: handle, allow: true).encoded) { note }
      _ = try devices.renew(tab, []) { note }
      _ = try devices.rename(
        tab, RenameDeviceRequest(replica: phone, name: "mine").encoded
      ) { note }
      _ = try devices.revoke(tab, RevokeDeviceRequest(replica: phone).encoded) { note }
      _ = try storage.sync.exchange(tab, request(nil, water(1)).encoded) { note }
    }
    for _ in 0..<7 { _ = try await answers.next() }
    let refused: [Status] = [
      .unknownDevice, .unknownDevice, .unknownDevice, .unknownDevice, .notFound, .unknownDevice,
    ]
    #expect(answers.all.compactMap(\.failure) == refused)
    #expect(waiting.answers.all.isEmpty, "the phone's newcomer waits on")
    #expect(try await stored().filter { $0.revoked == nil }.map(\.replica) == [phone])
  }

  @Test(
    "newcomers are sent away so many times in a row, and then once a minute: each leaves an event for ever"
  )
  func traces() async throws {
    var rounds = 0
    while rounds < 100 {
      guard let code = try? await invite() else { break }
      let caller = await call(code)
      let handle = try #require(try newcomers().first?.handle)
      do { _ = try await decide(handle, false) } catch { break }
      _ = try await caller.failure
      rounds += 1
    }
    #expect(rounds == AccountState.tracesInARow / 2, "a code and a no for each")
    storage.world.now += 60_000
    _ = try await invite()
    await #expect(throws: Status.tooManyTraces) { try await invite() }
  }

  @Test("who waits for an account that is removed is sent away")
  func accountRemoved() async throws {
    let caller = await call(try await invite())
    let accounts = AccountsService(queue: storage.queue, devices: devices)
    let removed = await outcome { later throws(Status) in
      try accounts.delete(kim, DeleteAccountRequest(accountName: "kim").encoded, answer: later)
    }
    _ = try removed.reply
    #expect(try await caller.failure == .badCode)
  }

  @Test("a server that stops tells those who wait, and those who come")
  func stops() async throws {
    let code = try await invite()
    let caller = await call(code)
    devices.endNewcomers()
    #expect(try await caller.failure == .goingAway)
    #expect(try await call(code).failure == .goingAway)
  }

  @Test("after a restart a newcomer asks again, and waits again under another handle")
  func restart() async throws {
    let code = try await invite()
    _ = await call(code)
    let handle = try #require(try newcomers().first?.handle)
    await storage.queue.close()
    let again = try Storage(storage.folder)
    let caller = await Caller(again.devices, again.queue, code, nonce: nonce)
    let session = try again.session(phone)
    let waiting = try NewcomersResponse(
      decoding: try again.devices.newcomers(session, []).reply
    ).newcomers
    #expect(waiting.count == 1 && waiting.first?.handle != handle)
    let bytes = DecideRequest(handle: try #require(waiting.first).handle, allow: true).encoded
    let decided = await outcome { later throws(Status) in
      try again.devices.decide(session, bytes, answer: later)
    }
    _ = try decided.reply
    #expect(try await caller.welcome.accountName == "kim")
    await again.queue.close()
  }

  @Test("an account with sixteen codes open has at most sixteen newcomers; used codes make room")
  func bounded() async throws {
    var callers: [Caller] = []
    for number in 0..<16 {
      callers.append(
        await call(
          try await invite(), name: "d\(number)",
          nonce: [UInt8](repeating: UInt8(number), count: 16)
        ))
      storage.world.now += 1
    }
    #expect(try newcomers().map(\.name) == (0..<16).map { "d\($0)" })
    let status = await #expect(throws: Status.self) { try await invite() }
    #expect(status?.code == .resourceExhausted)
    _ = try await decide(try #require(try newcomers().first?.handle), true)
    _ = try await invite()
  }

  @Test(
    "of two decisions that share a commit the first counts",
    arguments: [[true, false], [false, true], [true, true], [false, false]])
  func sameCommit(decisions: [Bool]) async throws {
    let code = try await invite()
    let caller = await call(code)
    let handle = try #require(try newcomers().first?.handle)
    let answers = Recorder<UnaryOutcome>()
    try await storage.whileCommitting {
      for allow in decisions {
        _ = try devices.decide(kim, DecideRequest(handle: handle, allow: allow).encoded) {
          { outcome, _ in answers.note(outcome) }
        }
      }
    }
    let first = try await answers.next()
    #expect(try await answers.next().failure == .nobodyWaits)
    let admitted = try DecideResponse(decoding: try first.reply).admitted
    let heard = try await caller.answers.next()
    #expect((admitted != nil) == decisions[0])
    if decisions[0] {
      #expect(try PairResponse(decoding: try heard.reply).replica == admitted?.replica)
    } else {
      #expect(heard.failure == .badCode)
    }
    #expect(try await stored().count == (decisions[0] ? 3 : 2))
  }

  @Test(
    "of a yes, a no, a repeated call and the code's end at one moment, one counts for everybody")
  func races() async throws {
    var expected = 2
    for round in 0..<60 {
      let code = try await invite()
      let nonce = [UInt8](repeating: UInt8(round), count: 16)
      let first = await call(code, name: "n\(round)", nonce: nonce)
      let handle = try #require(try newcomers().first?.handle)
      let timer = try await timers.next()
      let start = storage.world.now
      if round % 3 == 0 { storage.world.now = start + PairingCode.lifeMilliseconds }
      async let yes = try? decide(handle, true)
      async let no = try? decide(handle, false, by: tab)
      async let again = call(code, name: "x", nonce: nonce)
      timer()
      let (admitted, denied, second) = (await yes, await no, await again)
      await storage.queue.settle()
      #expect(try newcomers().isEmpty)
      #expect(first.answers.all.count == 1 && second.answers.all.count == 1, "round \(round)")
      var heard: [UnaryOutcome] = first.answers.all + second.answers.all
      heard.removeAll { $0.failure == .calledAgain }
      let welcomes = heard.compactMap { try? PairResponse(decoding: $0.reply).replica }
      let isAdmitted = (admitted ?? nil) != nil
      let isDenied = denied != nil && (denied ?? nil) == nil
      #expect(!(isAdmitted && isDenied), "round \(round)")
      if isAdmitted { expected += 1 }
      #expect(Set(welcomes).count == (isAdmitted && !welcomes.isEmpty ? 1 : 0), "round \(round)")
      if !isAdmitted { #expect(welcomes.isEmpty, "round \(round)") }
      if round % 3 == 0 { #expect(!isAdmitted) }
      #expect(heard.allSatisfy { $0.failure == nil || $0.failure == .badCode }, "round \(round)")
      storage.world.now = start + 2 * PairingCode.lifeMilliseconds
    }
    #expect(try await stored().count == expected)
  }
}
