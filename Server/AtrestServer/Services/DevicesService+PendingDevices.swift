// SPDX-License-Identifier: Apache-2.0
// Pending devices: listing and approval.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire

extension DevicesService {
  /// Lists the devices that wait to join the caller's account.
  package func pendingDevices(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    _ = try decoded(EmptyMessage.self, bytes)
    let now = environment.now()
    guard !session.isRevoked else { throw .unknownDevice }
    try queue.perform(by: .device(session), use: .reads, answer: answer()) {
      batch throws(StoreError) -> [PendingDevice]? in
      guard try batch.allows(session) else { return nil }
      let waiting = try Pairing.awaitingApproval(
        of: session.account.id, at: now, in: batch.transaction)
      return waiting.map { invitation, device in
        PendingDevice(
          handle: device.handle, name: device.name, since: device.since,
          expires: invitation.expires, inviter: invitation.inviter ?? .none,
          digits: device.digits)
      }
    } reply: { waiting in
      guard let waiting else { return .fail(.unknownDevice) }
      return .reply(ListPendingDevicesResponse(pendingDevices: waiting).packed)
    }
    return .later
  }

  /// Approves or rejects a pending device of the caller's account.
  package func decide(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(ResolvePendingDeviceRequest.self, bytes)
    let now = environment.now()
    let account = session.account
    guard !session.isRevoked else { throw .unknownDevice }
    guard request.allow || account.mayLeaveTrace(at: now) else { throw .tooManyTraces }
    // Only identities: the pending device's secret already exists.
    let replicas: [ReplicaID?] =
      request.allow ? (0..<Self.draws).map { _ in drawReplica() } : [nil]
    let later = answer()
    let reads: StorageReads = { $0.invitationLists.insert(account.id) }
    let job = Operation(
      by: .urgent(session), use: request.allow ? .writes : .clears, costBytes: 1024, reads: reads
    ) { batch throws(StoreError) -> Pairing.Decision? in
      guard try batch.allows(session) else { return nil }
      for replica in replicas {
        let decision = try Pairing.decide(
          request.handle, of: account.id, admitting: replica, by: session.replica, at: now,
          in: batch.transaction)
        if case .replicaTaken = decision { continue }
        return decision
      }
      return .replicaTaken
    } completion: { [self] result, answers in
      switch result {
      case .success(.letIn(let device, let code)?):
        registry.add(device)
        logger.info("a device was let in", metadata: ["device": "\(device.replica.hex)"])
        let admitted = ResolvePendingDeviceResponse.Admitted(
          replica: device.replica, name: device.name)
        later(.reply(ResolvePendingDeviceResponse(admitted: admitted).packed), &answers)
        tellWaitingCall(of: code)
      case .success(.sentAway(let code)?):
        logger.info("a device was sent away")
        later(.reply(ResolvePendingDeviceResponse().packed), &answers)
        tellWaitingCall(of: code)
      case .success(.nobodyWaits(let code)?):
        if !request.allow { account.hasLeftNoTrace() }
        later(.fail(.nobodyWaits), &answers)
        // A code that has expired ends for its device, too. And a decision whose answer was lost
        // may have been told to nobody.
        if let code { tellWaitingCall(of: code) }
      case .success(.tooManyDevices?): later(.fail(.tooManyDevices), &answers)
      case .success(.replicaTaken?): later(.fail(.busy), &answers)
      case .success(nil): later(.fail(.unknownDevice), &answers)
      case .failure(let error): later(.fail(Status(error)), &answers)
      }
    }
    guard queue.submit(job) else { throw .busy }
    return .later
  }
}
