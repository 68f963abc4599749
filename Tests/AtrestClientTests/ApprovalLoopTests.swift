// SPDX-License-Identifier: Apache-2.0
// The approval loop: whom it asks about, what it tells the server, and when it ends.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Testing

@testable import AtrestClient

@Suite("Staying by an invitation", .timeLimit(.minutes(20)))
struct ApprovalLoopTests {
  /// A server's list of pending devices, scripted by the test.
  private struct ScriptedApprovals: ApprovalTransport {
    let looks = Counter()
    let decisions = Shared<[ResolvePendingDeviceRequest]>([])
    var list: @Sendable (Int) throws(SyncError) -> [PendingDevice]
    var answer:
      @Sendable (ResolvePendingDeviceRequest, Int) throws(SyncError) -> ResolvePendingDeviceResponse =
        {
          request, _ throws(SyncError) in
          request.allow
            ? ResolvePendingDeviceResponse(
              admitted: .init(replica: ReplicaID(rawValue: 7), name: "tablet 2"))
            : ResolvePendingDeviceResponse()
        }

    func pendingDevices() async throws(SyncError) -> ListPendingDevicesResponse {
      ListPendingDevicesResponse(pendingDevices: try list(looks.next()))
    }

    func decide(_ request: ResolvePendingDeviceRequest) async throws(SyncError)
      -> ResolvePendingDeviceResponse
    {
      let number = decisions.value.count
      decisions.update { $0.append(request) }
      return try answer(request, number)
    }
  }

  private static let own = ReplicaID(rawValue: 1)

  private static func pendingDevice(_ handle: UInt64, of inviter: ReplicaID = own) -> PendingDevice
  {
    PendingDevice(
      handle: handle, name: "tablet", since: WallTime(milliseconds: 1),
      expires: WallTime(milliseconds: 300_000), inviter: inviter, digits: "123456")
  }

  private func run(
    _ server: ScriptedApprovals, missed: @escaping @Sendable (PendingDevice) -> Void = { _ in },
    decide: @escaping @Sendable (PendingDevice) async -> Bool?
  ) async throws -> InvitationOutcome {
    let time = ScriptedTime()
    var approvalLoop = ApprovalLoop(transport: server, inviter: Self.own)
    approvalLoop.pacing = time.pacing()
    approvalLoop.elapsed = { time.elapsed }
    return try await approvalLoop.run(for: .seconds(300), decide: decide, missed: missed)
  }

  @Test(
    "whoever comes with this device's link is asked about, and nobody else",
    arguments: [true, false])
  func decides(allow: Bool) async throws {
    let server = ScriptedApprovals { look throws(SyncError) in
      let other = Self.pendingDevice(3, of: ReplicaID(rawValue: 2))
      return look < 5 ? [other] : [other, Self.pendingDevice(4)]
    }
    let outcome = try await run(server) { pendingDevice in
      #expect(pendingDevice.handle == 4)
      return allow
    }
    #expect(outcome == (allow ? .letIn(name: "tablet 2") : .sentAway))
    #expect(server.decisions.value.map(\.handle) == [4] && server.decisions.value[0].allow == allow)
  }

  @Test("whoever comes with another link of this device is another command's to ask about")
  func otherLink() async throws {
    let server = ScriptedApprovals { _ throws(SyncError) in
      var other = Self.pendingDevice(3)
      other.expires = WallTime(milliseconds: 200_000)
      return [other, Self.pendingDevice(4)]
    }
    let time = ScriptedTime()
    var approvalLoop = ApprovalLoop(transport: server, inviter: Self.own)
    approvalLoop.expires = WallTime(milliseconds: 300_000)
    approvalLoop.pacing = time.pacing()
    approvalLoop.elapsed = { time.elapsed }
    let outcome = try await approvalLoop.run(for: .seconds(300)) { pendingDevice in
      #expect(pendingDevice.handle == 4)
      return true
    } missed: { _ in
    }
    #expect(outcome == .letIn(name: "tablet 2"))
  }

  @Test("whoever had gone when the decision came may come again, and is asked about again")
  func missed() async throws {
    var server = ScriptedApprovals { look throws(SyncError) in
      [Self.pendingDevice(UInt64(look) + 4)]
    }
    server.answer = { request, number throws(SyncError) in
      guard number > 0 else { throw .notFound("nobody waits") }
      return ResolvePendingDeviceResponse(
        admitted: .init(replica: ReplicaID(rawValue: 7), name: "tablet"))
    }
    let gone = Shared<[UInt64]>([])
    let outcome = try await run(
      server, missed: { left in gone.update { $0.append(left.handle) } }, decide: { _ in true })
    #expect(outcome == .letIn(name: "tablet") && gone.value == [4])
    #expect(server.decisions.value.map(\.handle) == [4, 5])
  }

  @Test("a decision that was lost is told again, and nobody is asked again")
  func lostDecision() async throws {
    var server = ScriptedApprovals { _ throws(SyncError) in [Self.pendingDevice(4)] }
    server.answer = { _, number throws(SyncError) in
      guard number == 2 else { throw .unreachable("cut") }
      return ResolvePendingDeviceResponse()
    }
    let asked = Counter()
    let outcome = try await run(server) { _ in
      _ = asked.next()
      return false
    }
    #expect(outcome == .sentAway && asked.count == 1 && server.decisions.value.count == 3)
  }

  @Test("a yes that took effect while its answer was lost is not said to have come to nothing")
  func unheard() async throws {
    var server = ScriptedApprovals { look throws(SyncError) in
      look == 0 ? [Self.pendingDevice(4)] : []
    }
    server.answer = { _, number throws(SyncError) in
      if number == 0 { throw .unreachable("cut") }
      throw .notFound("nobody waits")
    }
    let missed = Counter()
    let outcome = try await run(server, missed: { _ in _ = missed.next() }, decide: { _ in true })
    #expect(outcome == .unheard && missed.count == 0)
  }

  @Test("it ends when the link does, through lost connections, looking once a second at most")
  func ends() async throws {
    let server = ScriptedApprovals { look throws(SyncError) in
      if look.isMultiple(of: 3) { throw .unreachable("cut") }
      return []
    }
    #expect(try await run(server) { _ in true } == .ended)
    #expect(server.looks.count > 100 && server.looks.count <= 450)
  }

  @Test("without an answer nothing is decided, and it ends")
  func undecided() async throws {
    let server = ScriptedApprovals { _ throws(SyncError) in [Self.pendingDevice(4)] }
    #expect(try await run(server) { _ in nil } == .undecided)
    #expect(server.decisions.value.isEmpty)
  }

  @Test("what will not pass by itself ends it at once")
  func lasting() async throws {
    let server = ScriptedApprovals { _ throws(SyncError) in throw .accessEnded }
    await #expect(throws: SyncError.accessEnded) { try await run(server) { _ in true } }
    #expect(server.looks.count == 1)
  }
}
