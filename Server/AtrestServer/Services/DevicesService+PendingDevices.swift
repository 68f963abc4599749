// SPDX-License-Identifier: Apache-2.0
// Pending devices: how they wait, who sees them, and how waiting ends.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import Synchronization

extension DevicesService {
  /// Has a call with the right code wait. On the storage queue, after the commit that found the
  /// code right.
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
      // After it is in what `endPendingPairings` empties: one of the two ends it.
      guard !isStopping.load(ordering: .sequentiallyConsistent) else {
        return endPendingPairings(.goingAway) { $0.code == pendingDevice.code }
      }
      logger.info("a device waits to be let in")
      if isNew { waitForEnd(of: invitation.expires) }
    }
  }

  /// Sends those away whose code ends then.
  private func waitForEnd(of expiry: WallTime) {
    let left = expiry.milliseconds - environment.now().milliseconds
    wake(min(max(left, 1), PairingCode.lifeMilliseconds)) { [weak self] in
      self?.endExpired(lookingFor: expiry)
    }
  }

  /// Through storage, like every decision: of one that comes at the same moment, the pending device
  /// hears what is stored.
  private func endExpired(lookingFor expiry: WallTime) {
    let ends = Pairing.openEnds(at: environment.now())
    // Clocks may be set back a little, and timers be early.
    guard !ends.contains(expiry) else { return waitForEnd(of: expiry) }
    let job = Operation(by: .server, use: .clears) { batch throws(StoreError) in
      try batch.transaction.removeInvitations(endingOutside: ends)
    } completion: { [self] _, _ in
      endPendingPairings(.badCode) { !ends.contains($0.expires) }
    }
    if !queue.submit(job) { endPendingPairings(.badCode) { !ends.contains($0.expires) } }
  }

  /// Ends pending devices, and answers those that listen.
  func endPendingPairings(_ status: Status, where isEnded: (PendingPairing) -> Bool) {
    var answers = ResponseBatch()
    for call in pendingPairings.remove(where: isEnded) { call.answer(.fail(status), &answers) }
    answers.deliver()
  }

  /// Ends all pending devices, and lets none wait: the server is going away.
  package func endPendingPairings() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    endPendingPairings(.goingAway) { _ in true }
  }

  /// Who waits to be let into the caller's account. From memory.
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
      ).encoded)
  }

  /// Lets a pending device into the caller's account, or sends it away.
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
    // Only their identities are used: the pending device has its secret.
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
      guard batch.allows(session) else { return nil }
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
        later(.reply(ResolvePendingDeviceResponse(admitted: admitted).encoded), &answers)
      case .success(.sentAway?):
        logger.info("a device was sent away")
        pendingPairings.remove(pendingDevice.handle)?.answer(.fail(.badCode), &answers)
        later(.reply(ResolvePendingDeviceResponse().encoded), &answers)
      case .success(.nobodyWaits?):
        // Its code has ended, by wrong tries for instance: nobody can let it in any more, and it
        // need not wait.
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
