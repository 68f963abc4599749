// SPDX-License-Identifier: Apache-2.0
// Pair calls that wait for approval: when they look at the store again, and how they end.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

extension DevicesService {
  /// How often a waiting call looks at a shared store, in milliseconds: what other daemons tell may
  /// be lost.
  static let lookMilliseconds: Int64 = 5000
  /// The pause before a call looks again because it could not, in milliseconds.
  private static let retryMilliseconds: Int64 = 1000

  /// Makes a call with the right code wait for approval. Runs on the storage queue, after the
  /// commit that bound the code to its device.
  func park(
    _ call: PairCall, with invitation: InvitationEntry, _ answers: inout ResponseBatch
  ) {
    let parked = waitingCalls.park(call, with: invitation)
    parked.replaced?.answer(.fail(.calledAgain), &answers)
    // This check follows the insertion that `endPendingPairings` looks for, so one of the two ends
    // the call.
    guard !isStopping.load(ordering: .sequentiallyConsistent) else {
      return end(call, .fail(.goingAway), &answers)
    }
    logger.info("a device waits to be let in")
    if parked.replaced == nil { waitForEnd(of: invitation.expires) }
    if registry.isShared { keepLooking(at: call) }
    if parked.hasMissedLook { look(at: call) }
  }

  /// Answers a call unless somebody did.
  private func end(_ call: PairCall, _ outcome: UnaryOutcome, _ answers: inout ResponseBatch) {
    if waitingCalls.take(call) { call.answer(outcome, &answers) }
  }

  // MARK: Looking again

  /// Tells the call that waits with a code, on any daemon, that it was decided about or that the
  /// code has ended. After the commit.
  func tellWaitingCall(of code: String) {
    queue.announce([.pairing(code)])
    lookAtCalls { $0.call.code.handle == code }
  }

  /// Learns what another daemon committed.
  package func hear(_ news: StoreNews) {
    switch news {
    case .pairing(let code): lookAtCalls { $0.call.code.handle == code }
    case .revoked(let replica): lookAtCalls { $0.inviter == replica }
    case .removed(let account), .moving(let account): lookAtCalls { $0.account == account }
    case .head, .renamed: break
    }
  }

  /// Looks what became of the devices whose calls are concerned, and answers those that wait no
  /// more.
  func lookAtCalls(where isConcerned: (WaitingPairCalls.Entry) -> Bool) {
    for call in waitingCalls.calls(where: isConcerned) { look(at: call) }
  }

  private func look(at call: PairCall) {
    let now = environment.now()
    // A job that may write. It removes what has expired. And an engine with a standby, for which a
    // row that is seen may not be safe yet, commits before the answer.
    let reads: StorageReads = { $0.invitations.insert(call.code.handle) }
    let job = Operation(by: .unauthenticated, use: .clears, reads: reads) {
      batch throws(StoreError) in
      try Pairing.verdict(
        on: call.code, nonce: call.request.nonce, at: now, in: batch.transaction)
    } completion: { [self] result, answers in
      switch result {
      case .success(.waits): break
      case .success(.letIn(let device)): end(call, welcome(device), &answers)
      case .success(.refused):
        guard registry.isShared else { return end(call, .fail(.badCode), &answers) }
        confirmRefusal(of: call)
      case .failure: lookLater(at: call)
      }
    }
    if !queue.submit(job) { lookLater(at: call) }
  }

  /// What is gone may be gone on this database alone, by a commit whose wait for a standby was cut
  /// short: the answer waits for a commit of its own.
  private func confirmRefusal(of call: PairCall) {
    let job = Operation(by: .server, use: .clears) { _ throws(StoreError) in
    } completion: { [self] result, answers in
      guard case .success = result else { return lookLater(at: call) }
      end(call, .fail(.badCode), &answers)
    }
    if !queue.submit(job) { lookLater(at: call) }
  }

  private func lookLater(at call: PairCall) {
    // At a shared store it looks again anyway.
    guard !registry.isShared, waitingCalls.contains(call) else { return }
    wake(Self.retryMilliseconds) { [weak self] in
      if let self, waitingCalls.contains(call) { look(at: call) }
    }
  }

  private func keepLooking(at call: PairCall) {
    wake(Self.lookMilliseconds) { [weak self] in
      guard let self, waitingCalls.contains(call) else { return }
      look(at: call)
      keepLooking(at: call)
    }
  }

  // MARK: The end

  /// Schedules a look at calls whose codes expire at this time.
  private func waitForEnd(of expiry: WallTime) {
    let left = expiry.milliseconds - environment.now().milliseconds
    wake(min(max(left, 1), PairingCode.lifeMilliseconds)) { [weak self] in
      self?.endExpired(lookingFor: expiry)
    }
  }

  /// Codes expire in storage, like every decision. If an approval races with the expiry, the
  /// pending device receives the stored result.
  private func endExpired(lookingFor expiry: WallTime) {
    let ends = Pairing.openEnds(at: environment.now())
    // Clocks may be set back a little, and timers may fire early.
    guard !ends.contains(expiry) else { return waitForEnd(of: expiry) }
    lookAtCalls { !ends.contains($0.expires) }
  }

  /// Ends all waiting calls and accepts no new ones, because the server is stopping. Their devices
  /// keep waiting in the store.
  package func endPendingPairings() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    var answers = ResponseBatch()
    for call in waitingCalls.takeAll() { call.answer(.fail(.goingAway), &answers) }
    answers.deliver()
  }
}
