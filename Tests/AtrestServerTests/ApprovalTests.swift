// SPDX-License-Identifier: Apache-2.0
// Pending devices with the right code: waiting and approval.

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

@Suite(.timeLimit(.minutes(20))) struct ApprovalTests {
  private let scene: ApprovalScene

  init() throws {
    scene = try ApprovalScene()
  }

  @Test("whoever has a device's code waits until a device of the account says yes")
  func allows() async throws {
    let caller = await scene.call(try await scene.invite())
    #expect(caller.answers.all.isEmpty)
    let waiting = try #require(try await scene.pendingDevices(scene.tab).first)
    #expect(waiting.name == "laptop" && waiting.inviter == phone && waiting.handle != 0)
    #expect(waiting.digits.utf8.count == 6)
    #expect(waiting.since.milliseconds == noon)
    #expect(waiting.expires.milliseconds == noon + PairingCode.lifeMilliseconds)
    let admitted = try #require(try await scene.decide(waiting.handle, true, by: scene.tab))
    let welcome = try await caller.welcome
    #expect(welcome.replica == admitted.replica && admitted.name == "laptop")
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(welcome.token)")
    let session = scene.storage.registry.authenticate(metadata, at: WallTime(milliseconds: noon))
      .device
    #expect(session?.account === scene.kim.account)
    #expect(try await scene.pendingDevices().isEmpty)
    #expect(try await scene.stored().map(\.name).sorted() == ["device 1", "device 2", "laptop"])
  }

  @Test("a pending device gets the name that is free when it is let in")
  func namesake() async throws {
    let caller = await scene.call(try await scene.invite(), name: "device 2")
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    #expect(try await scene.decide(handle, true)?.name == "device 2 2")
    #expect(try await caller.welcome.deviceName == "device 2 2")
  }

  @Test("a code that needs nobody's approval, and the owner's, let in at once")
  func without() async throws {
    let bytes = InviteRequest(withoutApproval: true).encoded
    let made = await outcome { later throws(Status) in
      try scene.devices.invite(scene.kim, bytes, answer: later)
    }
    let invited = try InviteResponse(decoding: try made.reply)
    #expect(!invited.needsApproval)
    _ = try await scene.call(invited.code).welcome
    let admin = AdminService(
      queue: scene.storage.queue, backups: scene.storage.queue, registry: scene.storage.registry,
      devices: scene.devices,
      environment: scene.storage.world.environment, address: { "" })
    let owned = await outcome { later throws(Status) in
      try admin.inviteDevice(AccountRequest(name: "kim").packed, answer: later)
    }
    _ = try await scene.call(try Invitation(unpacking: try owned.reply).code).welcome
  }

  @Test("a repeated call waits on in place of the old one, as the same pending device")
  func again() async throws {
    let code = try await scene.invite()
    let first = await scene.call(code, name: "laptop")
    let before = try await scene.pendingDevices()
    let second = await scene.call(code, name: "another name")
    #expect(try await first.failure == .calledAgain)
    #expect(try await scene.pendingDevices() == before)
    _ = try await scene.decide(try #require(before.first?.handle), true)
    #expect(try await second.welcome.deviceName == "laptop")
  }

  @Test("an answer that was lost is given again until the code ends, and to nobody else")
  func answeredAgain() async throws {
    let code = try await scene.invite()
    let first = await scene.call(code)
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    _ = try await scene.decide(handle, true)
    let welcome = try await first.welcome
    scene.storage.world.now += PairingCode.lifeMilliseconds - 1
    var repeated = try await scene.call(code).welcome
    repeated.serverTime = welcome.serverTime
    #expect(repeated == welcome)
    #expect(
      try await scene.call(code, nonce: Array(scene.nonce.dropLast()) + [8]).failure == .badCode)
    #expect(try await scene.call(code, nonce: []).failure == .badCode, "it is used up")
    #expect(try await scene.call(String(code.dropLast()) + "B").failure == .badCode)
    scene.storage.world.now += 1
    #expect(try await scene.call(code).failure == .badCode)
    #expect(try await scene.stored().count == 3)
  }

  @Test("the first right try binds a code: to others it is a wrong one, and costs it no try")
  func bound() async throws {
    let code = try await scene.invite()
    let first = await scene.call(code)
    let other = [UInt8](repeating: 9, count: 16)
    for _ in 0..<PairingCode.tries + 1 {
      #expect(try await scene.call(code, name: "thief", nonce: other).failure == .badCode)
      #expect(try await scene.call(code, name: "thief", nonce: []).failure == .hasNoDigits)
    }
    let waiting = try await scene.pendingDevices()
    #expect(waiting.map(\.name) == ["laptop"])
    _ = try await scene.decide(try #require(waiting.first?.handle), true)
    _ = try await first.welcome
  }

  @Test(
    "a pending device with a nonce whose call was lost can be let in, and comes back for its answer"
  )
  func comesBack() async throws {
    let code = try await scene.invite()
    let lost = await scene.call(code)
    lost.hangUp()
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    let admitted = try await scene.decide(handle, true)
    #expect(try await scene.call(code).welcome.replica == admitted?.replica)
    #expect(lost.answers.all.isEmpty)
  }

  /// Regression: an attacker who saw the link, arrived first as "tablet" and showed no digits was
  /// approved by an ordinary yes.
  @Test("whoever has no digits to show is not let in by approval, and leaves the code as it was")
  func withoutDigits() async throws {
    let code = try await scene.invite()
    #expect(try await scene.call(code, name: "tablet", nonce: []).failure == .hasNoDigits)
    #expect(try await scene.pendingDevices().isEmpty)
    let caller = await scene.call(code)
    let pendingDevice = try #require(try await scene.pendingDevices().first)
    #expect(pendingDevice.digits.count == 6)
    _ = try await scene.decide(pendingDevice.handle, true)
    let welcome = try await caller.welcome
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(welcome.token)")
    #expect(
      scene.storage.registry.authenticate(metadata, at: WallTime(milliseconds: noon)).device != nil)
  }

  @Test("an account neither sees nor decides about another account's pending devices")
  func foreign() async throws {
    let caller = await scene.call(try await scene.invite())
    let sam = try scene.storage.session(ReplicaID(rawValue: 3))
    #expect(try await scene.pendingDevices(sam).isEmpty)
    let handle = try #require(try await scene.pendingDevices().first?.handle)
    await #expect(throws: Status.nobodyWaits) { try await scene.decide(handle, true, by: sam) }
    #expect(caller.answers.all.isEmpty)
  }

  @Test(
    "an account with sixteen codes open has at most sixteen pending devices; used codes make room")
  func bounded() async throws {
    var callers: [Caller] = []
    for number in 0..<16 {
      callers.append(
        await scene.call(
          try await scene.invite(), name: "d\(number)",
          nonce: [UInt8](repeating: UInt8(number), count: 16)
        ))
      scene.storage.world.now += 1
    }
    #expect(try await scene.pendingDevices().map(\.name) == (0..<16).map { "d\($0)" })
    let status = await #expect(throws: Status.self) { try await scene.invite() }
    #expect(status?.code == .resourceExhausted)
    _ = try await scene.decide(try #require(try await scene.pendingDevices().first?.handle), true)
    _ = try await scene.invite()
  }
}
