// SPDX-License-Identifier: Apache-2.0
// Pending devices: waiting, listing, approval, expiry.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

extension DevicesService {
  /// Makes a call with the right code wait for approval. Runs on the storage queue, after the
  /// commit that verified the code.
  func park(
    _ call: PairCall, with invitation: InvitationEntry, _ request: PairRequest, secret: [UInt8],
    _ answers: inout ResponseBatch
  ) {
    let pendingDevice = PendingPairing(
      handle: max(1, environment.randomNumber() & (UInt64.max >> 1)), code: invitation.handle,
      secretHash: invitation.secretHash, account: invitation.account,
      inviter: invitation.inviter ?? .none, name: request.deviceName, digits: request.digits,
      secret: secret, since: environment.now(), expires: invitation.expires)
    switch pendingPairings.park(pendingDevice, call) {
    case .bound: refuse(call, invitation.account, &answers)
    case .waits(let old, let isNew):
      limiter.withLock { $0.giveBack(to: call.peer) }
      old?.answer(.fail(.calledAgain), &answers)
      // This check follows the insertion into the room that `endPendingPairings` empties, so one of
      // the two ends the pairing.
      guard !isStopping.load(ordering: .sequentiallyConsistent) else {
        return endPendingPairings(.goingAway) { $0.code == pendingDevice.code }
      }
      logger.info("a device waits to be let in")
      if isNew { waitForEnd(of: invitation.expires, in: invitation.account) }
    }
  }

  /// Schedules the removal of pending devices whose code expires at this time.
  private func waitForEnd(of expiry: WallTime, in account: AccountID) {
    let left = expiry.milliseconds - environment.now().milliseconds
    wake(min(max(left, 1), PairingCode.lifeMilliseconds)) { [weak self] in
      self?.endExpired(lookingFor: expiry, in: account)
    }
  }

  /// Removes expired codes through storage, like every decision. If an approval races with the
  /// expiry, the pending device receives the stored result.
  private func endExpired(lookingFor expiry: WallTime, in account: AccountID) {
    let ends = Pairing.openEnds(at: environment.now())
    // Clocks may be set back a little, and timers may fire early.
    guard !ends.contains(expiry) else { return waitForEnd(of: expiry, in: account) }
    let job = Operation(by: .server, use: .clears) { batch throws(StoreError) in
      try batch.transaction.invitations.remove(of: account, expiringOutside: ends)
    } completion: { [self] _, _ in
      endPendingPairings(.badCode) { $0.account == account && !ends.contains($0.expires) }
    }
    if !queue.submit(job) { endPendingPairings(.badCode) { !ends.contains($0.expires) } }
  }

  /// Removes pending devices and fails their calls.
  func endPendingPairings(_ status: Status, where isEnded: (PendingPairing) -> Bool) {
    var answers = ResponseBatch()
    for call in pendingPairings.remove(where: isEnded) { call.answer(.fail(status), &answers) }
    answers.deliver()
  }

  /// Removes all pending devices and accepts no new ones, because the server is stopping.
  package func endPendingPairings() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    endPendingPairings(.goingAway) { _ in true }
  }

  /// Lists the devices that wait to join the caller's account. Served from memory.
  package func pendingDevices(_ session: DeviceSession, _ bytes: [UInt8]) throws(Status)
    -> UnaryOutcome
  {
    _ = try decoded(EmptyMessage.self, bytes)
    guard !session.isRevoked else { throw .unknownDevice }
    let waiting = pendingPairings.pendingDevices(of: session.account.id, at: environment.now())
    return .reply(
      ListPendingDevicesResponse(
        pendingDevices: waiting.map {
          PendingDevice(
            handle: $0.handle, name: $0.name, since: $0.since, expires: $0.expires,
            inviter: $0.inviter, digits: $0.digits)
        }
      ).packed)
  }

  /// Approves or rejects a pending device of the caller's account.
  package func decide(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(ResolvePendingDeviceRequest.self, bytes)
    let now = environment.now()
    guard !session.isRevoked else { throw .unknownDevice }
    guard let pendingDevice = pendingPairings.pendingDevice(request.handle, of: session.account.id)
    else {
      throw .nobodyWaits
    }
    guard request.allow || session.account.mayLeaveTrace(at: now) else { throw .tooManyTraces }
    // Only the identities are used. The pending device's secret already exists.
    let tokens: [Token?] =
      request.allow
      ? (0..<Self.draws).map { _ in
        Token(replica: drawToken().replica, secret: pendingDevice.secret)
      } : [nil]
    let later = answer()
    let job = Operation(
      by: .urgent(session), use: request.allow ? .writes : .clears, costBytes: 1024
    ) {
      batch throws(StoreError) -> Pairing.Decision? in
      guard try batch.allows(session) else { return nil }
      for token in tokens {
        let decision = try Pairing.decide(
          pendingDevice, token: token, by: session.replica, at: now, in: batch.transaction)
        if case .replicaTaken = decision { continue }
        return decision
      }
      return .replicaTaken
    } completion: { [self] result, answers in
      switch result {
      case .success(.letIn(let device, let token)?):
        registry.add(device)
        logger.info("a device was let in", metadata: ["device": "\(device.replica.hex)"])
        pendingPairings.remove(pendingDevice.handle)?.answer(welcome(device, token), &answers)
        let admitted = ResolvePendingDeviceResponse.Admitted(
          replica: device.replica, name: device.name)
        later(.reply(ResolvePendingDeviceResponse(admitted: admitted).packed), &answers)
      case .success(.sentAway?):
        logger.info("a device was sent away")
        pendingPairings.remove(pendingDevice.handle)?.answer(.fail(.badCode), &answers)
        later(.reply(ResolvePendingDeviceResponse().packed), &answers)
      case .success(.nobodyWaits?):
        // The code is void, for example after wrong tries. The device cannot be approved any more
        // and need not wait.
        pendingPairings.remove(pendingDevice.handle)?.answer(.fail(.badCode), &answers)
        later(.fail(.nobodyWaits), &answers)
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
