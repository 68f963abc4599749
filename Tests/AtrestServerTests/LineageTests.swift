// SPDX-License-Identifier: Apache-2.0
// The descent of devices, and which of them are revoked with another one.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestTestSupport
import AtrestWire
import Testing

import struct AtrestReplication.ReplicaID
import struct AtrestReplication.WallTime

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct LineageTests {
  private let scene: ApprovalScene
  private let admin: AdminService
  private var storage: Storage { scene.storage }
  private let stranger = ReplicaID(rawValue: 3)

  init() throws {
    scene = try ApprovalScene()
    admin = AdminService(
      queue: scene.storage.queue, backups: scene.storage.queue, registry: scene.storage.registry,
      devices: scene.devices,
      environment: scene.storage.world.environment, address: { "" })
  }

  /// A device that joins without approval, with a code of `inviter` or of the operator. Later than
  /// all before it.
  private func join(by inviter: ReplicaID?) async throws -> ReplicaID {
    storage.world.now += 1000
    let invitation = await outcome { later throws(Status) in
      guard let inviter else {
        return try admin.inviteDevice(AccountRequest(name: "kim").packed, answer: later)
      }
      guard let session = storage.registry.session(inviter) else { throw .notFound }
      return try scene.devices.invite(
        session, InviteRequest(withoutApproval: true).encoded, answer: later)
    }
    let code = try InviteResponse(decoding: try invitation.reply).code
    return try await scene.call(code, nonce: []).welcome.replica
  }

  /// A device that joins with a code of `inviter` and is approved by `approver`.
  private func join(by inviter: ReplicaID, letInBy approver: ReplicaID) async throws -> ReplicaID {
    storage.world.now += 1000
    let code = try await scene.invite(try storage.session(inviter))
    let caller = await scene.call(code)
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    _ = try await scene.decide(handle, true, by: try storage.session(approver))
    return try await caller.welcome.replica
  }

  private func renew(_ device: ReplicaID) async throws -> ReplicaID {
    storage.world.now += 1000
    let session = try storage.session(device)
    let renewed = await outcome { later throws(Status) in
      try scene.devices.renew(session, [], answer: later)
    }
    return try PairResponse(decoding: try renewed.reply).replica
  }

  /// - Parameter caller: Nil: the server's operator.
  private func revoke(
    _ device: ReplicaID, by caller: ReplicaID? = phone, withDescendants: Bool = true
  ) async throws -> DevicesRevokeResponse {
    let bytes = DevicesRevokeRequest(replica: device, withDescendants: withDescendants).encoded
    let session = try caller.map { try storage.session($0) }
    let answer = await outcome { later throws(Status) in
      guard let session else { return try admin.revokeDevice(bytes, answer: later) }
      return try scene.devices.revoke(session, bytes, answer: later)
    }
    return try DevicesRevokeResponse(decoding: try answer.reply)
  }

  private func list() async throws -> [Device] {
    let session = try storage.session(phone)
    let answer = await outcome { later throws(Status) in
      try scene.devices.list(session, [], answer: later)
    }
    return try DevicesListResponse(decoding: try answer.reply).devices
  }

  /// The devices that have access.
  private func withAccess() async throws -> [ReplicaID] {
    try await list().filter { $0.revoked == nil }.map(\.replica)
  }

  @Test("lists tell the origin of each device, also after a restart")
  func listed() async throws {
    let owners = try await join(by: nil)
    let invited = try await join(by: tablet)
    let letIn = try await join(by: tablet, letInBy: phone)
    let copy = try await renew(letIn)
    let expected: [ReplicaID: DeviceOrigin] = [
      phone: .owner, tablet: .owner, owners: .owner,
      invited: .invited(inviter: tablet, approver: nil),
      letIn: .invited(inviter: tablet, approver: phone), copy: .renewed(from: letIn),
    ]
    func origins(_ devices: [Device]) -> [ReplicaID: DeviceOrigin] {
      Dictionary(devices.map { ($0.replica, $0.origin) }) { first, _ in first }
    }
    #expect(origins(try await list()) == expected)
    let answer = await outcome { later throws(Status) in
      try admin.listDevices(AccountRequest(name: "kim").packed, answer: later)
    }
    let entries = try ListDevicesResponse(unpacking: try answer.reply).entries
    #expect(origins(entries.map(\.device)) == expected)
    #expect(
      try await scene.stored().map(\.origin).count { $0 == .owner } == 3)
    let again = try Storage(storage.folder)
    #expect(try again.session(copy).origin == .renewed(from: letIn))
    await again.queue.close()
  }

  @Test(
    "with a device go its descendants: copies, those it invited, those it let in, and theirs")
  func transitive() async throws {
    let copy = try await renew(tablet)
    let invited = try await join(by: copy)
    let letIn = try await join(by: phone, letInBy: invited)
    let deceived = try await join(by: letIn, letInBy: phone)
    let mine = try await join(by: phone)
    let owners = try await join(by: nil)
    let answer = try await revoke(tablet)
    let gone = [tablet, copy, invited, letIn, deceived]
    #expect(answer == DevicesRevokeResponse(revoked: gone))
    #expect(try await withAccess() == [phone, mine, owners])
    for device in gone { #expect(try storage.session(device).isRevoked) }
    let account = try storage.session(phone).account.id
    await storage.queue.close()
    let store = try openStore(storage.folder)
    defer { store.close() }
    try store.transaction { t throws(StoreError) in
      let ended = try t.devices.list(of: account).filter { $0.revoked != nil }
      #expect(ended.map(\.replica) == gone)
      let events = try t.events.page(of: account, before: nil, limit: gone.count).reversed()
      #expect(events.map(\.event.subject) == gone)
      #expect(events.allSatisfy { $0.event.kind == .deviceRevoked && $0.event.actor == phone })
    }
  }

  @Test("without being asked to, it ends one, and says who is left; asked again it ends those")
  func only() async throws {
    let copy = try await renew(tablet)
    let invited = try await join(by: copy)
    let answer = try await revoke(tablet, withDescendants: false)
    #expect(answer == DevicesRevokeResponse(revoked: [tablet], remaining: [copy, invited]))
    #expect(try await withAccess() == [phone, copy, invited])
    #expect(
      try await revoke(tablet, withDescendants: false)
        == DevicesRevokeResponse(remaining: [copy, invited]))
    #expect(try await revoke(tablet) == DevicesRevokeResponse(revoked: [copy, invited]))
    #expect(try await revoke(tablet) == DevicesRevokeResponse())
  }

  @Test("devices in the middle whose access has ended lead on to their descendants")
  func middle() async throws {
    let copy = try await renew(tablet)
    let invited = try await join(by: copy)
    let last = try await renew(invited)
    _ = try await revoke(copy, withDescendants: false)
    _ = try await revoke(invited, withDescendants: false)
    #expect(try await revoke(tablet, by: nil) == DevicesRevokeResponse(revoked: [tablet, last]))
    #expect(try await withAccess() == [phone])
  }

  @Test("a caller that descends from the device is spared, with those that descend through it only")
  func spared() async throws {
    let caller = try await join(by: tablet)
    let callers = try await join(by: caller)
    let both = try await join(by: caller, letInBy: tablet)
    let other = try await renew(tablet)
    let only = try await revoke(tablet, by: caller, withDescendants: false)
    #expect(
      only
        == DevicesRevokeResponse(
          revoked: [tablet], remaining: [both, other], spared: [caller, callers]))
    #expect(
      try await revoke(tablet, by: caller)
        == DevicesRevokeResponse(revoked: [both, other], spared: [caller, callers]))
    #expect(try await withAccess() == [phone, caller, callers])
    // The operator is nobody's descendant. A device that names itself is not exempt.
    #expect(
      try await revoke(caller, by: caller) == DevicesRevokeResponse(revoked: [caller, callers]))
  }

  @Test("no device of another account is touched, whatever a row says")
  func otherAccount() async throws {
    await storage.queue.close()
    let store = try openStore(storage.folder)
    let sam = try storage.session(stranger).account.id
    let liar = ReplicaID(rawValue: 4)
    let isNew = try store.transaction { t throws(StoreError) in
      try t.devices.add(
        DeviceEntry(
          replica: liar, account: sam, name: "liar",
          tokenHash: Secret.hash([UInt8](repeating: 1, count: 32)),
          paired: WallTime(milliseconds: noon), origin: .renewed(from: tablet)))
    }
    #expect(isNew)
    store.close()
    let again = try Storage(storage.folder)
    let devices = DevicesService(
      queue: again.queue, registry: again.registry, environment: again.world.environment,
      logger: quiet)
    func revoke(_ device: ReplicaID, by caller: ReplicaID) async throws -> DevicesRevokeResponse {
      let session = try again.session(caller)
      let bytes = DevicesRevokeRequest(replica: device, withDescendants: true).encoded
      let answer = await outcome { later throws(Status) in
        try devices.revoke(session, bytes, answer: later)
      }
      return try DevicesRevokeResponse(decoding: try answer.reply)
    }
    await #expect(throws: Status.notFound) { try await revoke(tablet, by: stranger) }
    #expect(try await revoke(tablet, by: phone) == DevicesRevokeResponse(revoked: [tablet]))
    #expect(try !again.session(liar).isRevoked && !again.session(stranger).isRevoked)
    await again.queue.close()
  }

  @Test("codes of those that go end with them, and so does the waiting of whoever has one")
  func doors() async throws {
    let copy = try await renew(tablet)
    let unused = try await scene.invite(try storage.session(copy))
    let waiting = await scene.call(try await scene.invite(try storage.session(copy)))
    let mine = await scene.call(
      try await scene.invite(), nonce: [UInt8](repeating: 1, count: 20))
    _ = try await revoke(tablet)
    #expect(try await waiting.failure == .badCode)
    #expect(try await scene.call(unused).failure == .badCode)
    #expect(try await scene.pendingDevices().map(\.inviter) == [phone])
    #expect(mine.answers.all.isEmpty)
  }

  @Test("what one that goes asks in the same commit is refused")
  func sameCommit() async throws {
    let copy = try storage.session(try await renew(tablet))
    let bytes = DevicesRevokeRequest(replica: tablet, withDescendants: true).encoded
    let answers = Recorder<UnaryOutcome>()
    let note = Answer { outcome, _ in answers.note(outcome) }
    try await storage.whileCommitting {
      _ = try scene.devices.revoke(scene.kim, bytes) { note }
      _ = try scene.devices.renew(copy, []) { note }
      _ = try scene.devices.invite(copy, InviteRequest(withoutApproval: true).encoded) { note }
      _ = try scene.devices.revoke(copy, DevicesRevokeRequest(replica: phone).encoded) { note }
    }
    for _ in 0..<4 { _ = try await answers.next() }
    #expect(answers.all.compactMap(\.failure).count == 3)
    #expect(try await withAccess() == [phone])
  }

  @Test("a whole account's devices go in one commit")
  func many() async throws {
    await storage.queue.close()
    let store = try openStore(storage.folder)
    let kim = try storage.session(phone).account.id
    let family = (0..<UInt64(Pairing.devices - 2)).map { ReplicaID(rawValue: 1000 + $0) }
    try store.transaction { t throws(StoreError) in
      var parent = tablet
      for replica in family {
        _ = try t.devices.add(
          DeviceEntry(
            replica: replica, account: kim, name: replica.hex, tokenHash: [1],
            paired: WallTime(milliseconds: noon), origin: .renewed(from: parent)))
        parent = replica
      }
    }
    store.close()
    let again = try Storage(storage.folder)
    let session = try again.session(phone)
    let bytes = DevicesRevokeRequest(replica: tablet, withDescendants: true).encoded
    let answer = await outcome { later throws(Status) in
      try again.devices.revoke(session, bytes, answer: later)
    }
    let revoked = try DevicesRevokeResponse(decoding: try answer.reply).revoked
    #expect(Set(revoked) == Set(family + [tablet]) && again.commitCount == 1)
    await again.queue.close()
  }
}
