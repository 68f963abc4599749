// SPDX-License-Identifier: Apache-2.0
// How waiting for approval ends, and that each caller gets exactly one outcome.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Synchronization
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct WaitingEndTests {
  private let scene: ApprovalScene

  init() throws {
    scene = try ApprovalScene()
  }

  @Test("a no looks like a wrong code, to the first call and to every later one")
  func denies() async throws {
    let code = try await scene.invite()
    let caller = await scene.call(code)
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    #expect(try await scene.decide(handle, false) == nil)
    #expect(try await caller.failure == .badCode)
    #expect(try await scene.call(code).failure == .badCode)
    #expect(try await scene.pendingDevices().isEmpty)
    await #expect(throws: Status.nobodyWaits) { try await scene.decide(handle, true) }
    #expect(try await scene.stored().count == 2)
  }

  @Test("a device that was sent away since is not answered again")
  func revokedSince() async throws {
    let code = try await scene.invite()
    let caller = await scene.call(code)
    let admitted = try await scene.decide(
      try #require(try await scene.pendingDevices().first?.handle), true)
    let replica = try #require(admitted).replica
    _ = try await caller.welcome
    let revoked = await outcome { later throws(Status) in
      try scene.devices.revoke(
        scene.kim, DevicesRevokeRequest(replica: replica).encoded, answer: later)
    }
    _ = try revoked.reply
    #expect(try await scene.call(code).failure == .badCode)
  }

  @Test(
    "waiting ends with the code, like a wrong one: when its time is over, or somebody decides too late",
    arguments: [false, true])
  func expires(isDecided: Bool) async throws {
    let code = try await scene.invite()
    let caller = await scene.call(code)
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    let timer = try await scene.timers.next()
    // The timer fires early, as after a clock step back. The device keeps waiting.
    timer()
    await scene.storage.queue.settle()
    #expect(caller.answers.all.isEmpty)
    scene.storage.world.now += PairingCode.lifeMilliseconds
    #expect(try await scene.pendingDevices().isEmpty)
    #expect(caller.answers.all.isEmpty)
    if isDecided {
      await #expect(throws: Status.nobodyWaits) { try await scene.decide(handle, true) }
    } else {
      try await scene.timers.next()()
    }
    #expect(try await caller.failure == .badCode)
    #expect(try await scene.stored().count == 2)
  }

  @Test("who was told that the code has expired is not let in, even by an earlier clock")
  func expiredForGood() async throws {
    let caller = await scene.call(try await scene.invite())
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    scene.storage.world.now += PairingCode.lifeMilliseconds
    try await scene.timers.next()()
    #expect(try await caller.failure == .badCode)
    scene.storage.world.now -= 1
    await #expect(throws: Status.nobodyWaits) { try await scene.decide(handle, true) }
    #expect(try await scene.pendingDevices().isEmpty)
    #expect(try await scene.stored().count == 2)
  }

  @Test("waiting ends when a clock that was ahead is set right")
  func clockWasAhead() async throws {
    let caller = await scene.call(try await scene.invite())
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    scene.storage.world.now -= 86_400_000
    #expect(try await scene.pendingDevices().isEmpty)
    try await scene.timers.next()()
    #expect(try await caller.failure == .badCode)
    await #expect(throws: Status.nobodyWaits) { try await scene.decide(handle, true) }
    #expect(try await scene.stored().count == 2)
  }

  @Test("with the access of a device end its codes, and those who wait with them; others wait on")
  func inviterRevoked() async throws {
    let unused = try await scene.invite(scene.tab)
    let mine = await scene.call(try await scene.invite(scene.tab))
    let other = await scene.call(
      try await scene.invite(scene.kim), nonce: [UInt8](repeating: 1, count: 20))
    let revoked = await outcome { later throws(Status) in
      try scene.devices.revoke(
        scene.kim, DevicesRevokeRequest(replica: tablet).encoded, answer: later)
    }
    _ = try revoked.reply
    #expect(try await mine.failure == .badCode)
    #expect(try await scene.call(unused).failure == .badCode)
    #expect(try await scene.pendingDevices().map(\.inviter) == [phone])
    #expect(other.answers.all.isEmpty)
    await #expect(throws: Status.unknownDevice) { try await scene.pendingDevices(scene.tab) }
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    await #expect(throws: Status.unknownDevice) {
      try await scene.decide(handle, true, by: scene.tab)
    }
  }

  @Test("what a device asks in the commit that ends its access is refused, whatever it asks")
  func inviterRevokedBefore() async throws {
    let waiting = await scene.call(try await scene.invite(scene.kim))
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    let answers = Recorder<UnaryOutcome>()
    let note = Answer { outcome, _ in answers.note(outcome) }
    try await scene.storage.whileCommitting {
      _ = try scene.devices.revoke(scene.kim, DevicesRevokeRequest(replica: tablet).encoded) {
        note
      }
      _ = try scene.devices.invite(scene.tab, InviteRequest(withoutApproval: true).encoded) { note }
      _ = try scene.devices.decide(
        scene.tab, ResolvePendingDeviceRequest(handle: handle, allow: true).encoded
      ) {
        note
      }
      _ = try scene.devices.renew(scene.tab, []) { note }
      _ = try scene.devices.rename(
        scene.tab, DevicesRenameRequest(replica: phone, name: "mine").encoded
      ) { note }
      _ = try scene.devices.revoke(scene.tab, DevicesRevokeRequest(replica: phone).encoded) { note }
      _ = try scene.storage.sync.exchange(scene.tab, request(nil, water(1)).encoded) { note }
    }
    for _ in 0..<7 { _ = try await answers.next() }
    // Urgent jobs run before the rest.
    let refused: [Status] = [
      .unknownDevice, .notFound, .unknownDevice, .unknownDevice, .unknownDevice, .unknownDevice,
    ]
    #expect(answers.all.compactMap(\.failure) == refused)
    #expect(waiting.answers.all.isEmpty, "the phone's pending device waits on")
    #expect(try await scene.stored().filter { $0.revoked == nil }.map(\.replica) == [phone])
  }

  @Test(
    "pendingDevices are sent away so many times in a row, and then once a minute: each leaves an event for ever"
  )
  func traces() async throws {
    var rounds = 0
    while rounds < 100 {
      guard let code = try? await scene.invite() else { break }
      let caller = await scene.call(code)
      let handle = try #require(try await scene.pendingDevices().first?.handle)
      do { _ = try await scene.decide(handle, false) } catch { break }
      _ = try await caller.failure
      rounds += 1
    }
    #expect(rounds == AccountState.tracesInARow / 2, "a code and a no for each")
    scene.storage.world.now += 60_000
    _ = try await scene.invite()
    await #expect(throws: Status.tooManyTraces) { try await scene.invite() }
  }

  @Test("waiting ends when wrong tries have used the code up")
  func voided() async throws {
    let code = try await scene.invite()
    let caller = await scene.call(code)
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    let other = await scene.call(try await scene.invite(), nonce: [UInt8](repeating: 1, count: 20))
    let wrong = String(code.dropLast()) + (code.hasSuffix("B") ? "C" : "B")
    for _ in 0..<PairingCode.tries {
      #expect(caller.answers.all.isEmpty)
      #expect(try await scene.call(wrong, nonce: []).failure == .badCode)
    }
    #expect(try await caller.failure == .badCode)
    await #expect(throws: Status.nobodyWaits) { try await scene.decide(handle, true) }
    #expect(other.answers.all.isEmpty)
    #expect(try await scene.pendingDevices().count == 1)
  }

  @Test("who waits for an account that is removed is sent away")
  func accountRemoved() async throws {
    let caller = await scene.call(try await scene.invite())
    let accounts = AccountsService(queue: scene.storage.queue, devices: scene.devices)
    let removed = await outcome { later throws(Status) in
      try accounts.delete(
        scene.kim, AccountsDeleteRequest(accountName: "kim").encoded, answer: later)
    }
    _ = try removed.reply
    #expect(try await caller.failure == .badCode)
  }

  @Test("a server that stops tells those who wait, and those who come")
  func stops() async throws {
    let code = try await scene.invite()
    let caller = await scene.call(code)
    scene.devices.endPendingPairings()
    #expect(try await caller.failure == .goingAway)
    #expect(try await scene.call(code).failure == .goingAway)
  }

  @Test("a restart keeps who waits: they can be let in before they call again")
  func restart() async throws {
    let code = try await scene.invite()
    _ = await scene.call(code)
    let before = try await scene.pendingDevices()
    let handle = try #require(before.first?.handle)
    await scene.storage.queue.close()
    let again = try Storage(scene.storage.folder)
    let session = try again.session(phone)
    func pendingDevices() async throws -> [PendingDevice] {
      let listed = await outcome { later throws(Status) in
        try again.devices.pendingDevices(session, [], answer: later)
      }
      return try ListPendingDevicesResponse(decoding: try listed.reply).pendingDevices
    }
    #expect(try await pendingDevices() == before)
    let waiting = await Caller(again.devices, again.queue, code, nonce: scene.nonce)
    waiting.hangUp()
    #expect(try await pendingDevices() == before, "the same device")
    let decided = await outcome { later throws(Status) in
      try again.devices.decide(
        session, ResolvePendingDeviceRequest(handle: handle, allow: true).encoded, answer: later)
    }
    _ = try decided.reply
    let caller = await Caller(again.devices, again.queue, code, nonce: scene.nonce)
    #expect(try await caller.welcome.accountName == "kim")
    await again.queue.close()
  }

  @Test(
    "of two decisions that share a commit the first counts",
    arguments: [[true, false], [false, true], [true, true], [false, false]])
  func sameCommit(decisions: [Bool]) async throws {
    let code = try await scene.invite()
    let caller = await scene.call(code)
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    let answers = Recorder<UnaryOutcome>()
    try await scene.storage.whileCommitting {
      for allow in decisions {
        _ = try scene.devices.decide(
          scene.kim, ResolvePendingDeviceRequest(handle: handle, allow: allow).encoded
        ) {
          Answer { outcome, _ in answers.note(outcome) }
        }
      }
    }
    let first = try await answers.next()
    #expect(try await answers.next().failure == .nobodyWaits)
    let admitted = try ResolvePendingDeviceResponse(decoding: try first.reply).admitted
    let heard = try await caller.answers.next()
    #expect((admitted != nil) == decisions[0])
    if decisions[0] {
      #expect(try PairResponse(decoding: try heard.reply).replica == admitted?.replica)
    } else {
      #expect(heard.failure == .badCode)
    }
    #expect(try await scene.stored().count == (decisions[0] ? 3 : 2))
  }

  private enum Verdict {
    case letIn, sentAway, tooLate
  }

  private func verdict(
    _ handle: UInt64, _ allow: Bool, by session: DeviceSession? = nil
  ) async -> Verdict {
    do {
      return try await scene.decide(handle, allow, by: session) == nil ? .sentAway : .letIn
    } catch {
      return .tooLate
    }
  }

  @Test(
    "of a yes, a no, a repeated call and the code's end at one moment, one counts for everybody")
  func races() async throws {
    var expected = 2
    for round in 0..<60 {
      let code = try await scene.invite()
      let nonce = [UInt8](repeating: UInt8(round), count: 16)
      let first = await scene.call(code, name: "n\(round)", nonce: nonce)
      let handle = try #require(try await scene.pendingDevices().first?.handle)
      let timer = try await scene.timers.next()
      let start = scene.storage.world.now
      if round % 3 == 0 { scene.storage.world.now = start + PairingCode.lifeMilliseconds }
      async let yes = verdict(handle, true)
      async let no = verdict(handle, false, by: scene.tab)
      async let again = scene.call(code, name: "x", nonce: nonce)
      timer()
      let (allowed, denied, second) = (await yes, await no, await again)
      await scene.storage.queue.settle()
      #expect(try await scene.pendingDevices().isEmpty)
      #expect(first.answers.all.count == 1 && second.answers.all.count == 1, "round \(round)")
      var heard: [UnaryOutcome] = first.answers.all + second.answers.all
      heard.removeAll { $0.failure == .calledAgain }
      let welcomes = heard.compactMap { try? PairResponse(decoding: $0.reply).replica }
      #expect(denied != .letIn && allowed != .sentAway, "round \(round)")
      let isAdmitted = allowed == .letIn
      #expect(!(isAdmitted && denied == .sentAway), "round \(round)")
      if round % 3 != 0 { #expect(isAdmitted || denied == .sentAway, "round \(round)") }
      if isAdmitted { expected += 1 }
      #expect(Set(welcomes).count == (isAdmitted && !welcomes.isEmpty ? 1 : 0), "round \(round)")
      if !isAdmitted { #expect(welcomes.isEmpty, "round \(round)") }
      if round % 3 == 0 { #expect(!isAdmitted) }
      #expect(heard.allSatisfy { $0.failure == nil || $0.failure == .badCode }, "round \(round)")
      scene.storage.world.now = start + 2 * PairingCode.lifeMilliseconds
    }
    #expect(try await scene.stored().count == expected)
  }
}
