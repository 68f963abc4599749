// SPDX-License-Identifier: Apache-2.0
// The Devices service: pair, invite, renew, list, rename, revoke.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire
import Dispatch
import Logging
import Synchronization

/// Implements the Devices service, independent of connections.
package final class DevicesService: Sendable {
  let cell: CellNumber
  let queue: any StorageQueue
  let registry: SessionRegistry
  let environment: Environment
  let logger: Logger
  /// Whether browsers find the web app at the address that devices call.
  let servesApp: Bool
  let limiter = Mutex(AttemptLimiter())
  let waitingCalls = WaitingPairCalls()
  let wake: Wake
  let isStopping = Atomic(false)

  /// How many handles or identities to draw before giving up. Even two collisions in a row are
  /// rare.
  static let draws = 8

  /// Calls `work` after a delay, on any thread.
  package typealias Wake =
    @Sendable (_ milliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void

  /// - Parameters:
  ///   - cell: What tokens and codes say where their devices are looked up.
  ///   - wake: The timer of waiting calls. Nil: Dispatch.
  package init(
    cell: CellNumber = .sole, queue: any StorageQueue, registry: SessionRegistry,
    environment: Environment, logger: Logger, servesApp: Bool = false, wake: Wake? = nil
  ) {
    self.cell = cell
    self.queue = queue
    self.registry = registry
    self.environment = environment
    self.logger = logger
    self.servesApp = servesApp
    self.wake =
      wake
      ?? { milliseconds, work in
        DispatchQueue.global(qos: .utility).asyncAfter(
          deadline: .now() + .milliseconds(Int(clamping: milliseconds)), execute: work)
      }
  }

  /// Joins an account. The only method that needs no token.
  ///
  /// - Parameters:
  ///   - peer: The rate-limit keys of the caller's address. Empty: only the server-wide limit
  ///     applies.
  ///   - onEnd: Registers a callback for a call that ends before it is answered.
  package func pair(
    _ bytes: [UInt8], from peer: [[UInt8]] = [],
    onEnd: (@escaping @Sendable () -> Void) -> Void = { _ in }, answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(PairRequest.self, bytes)
    let now = environment.now()
    guard Name.isAllowed(request.deviceName) else { throw .badName }
    guard limiter.withLock({ $0.take(from: peer, at: now) }) else { throw .tooManyTries }
    guard let code = PairingCode(request.code) else {
      logRefusal(of: peer)
      queue.note(NewEvent(.codeRefused, of: nil, at: now))
      throw .badCode
    }
    let tokens = (0..<Self.draws).map { _ in drawToken() }
    let handle = drawNumber()
    let call = PairCall(
      code, request, from: peer, lookCount: waitingCalls.lookCount, answer: answer())
    onEnd { [waitingCalls] in waitingCalls.callEnded(call) }
    let isShared = registry.isShared
    let reads: StorageReads = {
      $0.invitations.insert(code.handle)
      if isShared { $0.attempts.formUnion(peer + [AttemptLimiter.everybody]) }
    }
    let payer = Payer.unauthenticated(from: peer.last)
    let job = Operation(by: payer, use: .writes, costBytes: 1024, reads: reads) {
      batch throws(StoreError) -> Pairing.Outcome in
      // Those of all daemons: this one's own were asked before.
      let attempts = batch.transaction.attempts
      guard try attempts?.hasLeft(for: peer) ?? true else { return .tooManyTries }
      var outcome = Pairing.Outcome.replicaTaken
      for token in tokens {
        outcome = try Pairing.pair(
          code, request, token: token, handle: handle, at: now, in: batch.transaction)
        if case .replicaTaken = outcome { continue }
        break
      }
      if outcome.isWrong { try attempts?.spend(peer) }
      return outcome
    } completion: { [self] result, answers in
      switch result {
      case .success(.awaitsApproval(let invitation, let isNew)):
        limiter.withLock { $0.giveBack(to: peer) }
        if isNew { queue.announce([.pairing(code.handle)]) }
        park(call, with: invitation, &answers)
      case .success(.denied(let account)): refuse(call, account, &answers)
      case .success(.voided(let account)):
        refuse(call, account, &answers)
        tellWaitingCall(of: code.handle)
      // No token is given back: so a flood soon ends here, and asks the store no more.
      case .success(.tooManyTries): call.answer(.fail(.tooManyTries), &answers)
      case .success(let outcome):
        limiter.withLock { $0.giveBack(to: peer) }
        call.answer(admit(outcome, denied: .badCode), &answers)
      case .failure(let error):
        limiter.withLock { $0.giveBack(to: peer) }
        call.answer(.fail(Status(error)), &answers)
      }
    }
    guard queue.submit(job) else {
      limiter.withLock { $0.giveBack(to: peer) }
      throw .busy
    }
    return .later
  }

  /// Logs where a wrong code came from, so that the owner can bar the address.
  private func logRefusal(of peer: [[UInt8]]) {
    logger.notice(
      "a pairing code was refused",
      metadata: ["from": "\(AttemptLimiter.text(of: peer) ?? "this machine, or a proxy on it")"])
  }

  /// Fails a call whose code does not work. All reasons look alike to the caller.
  private func refuse(
    _ call: PairCall, _ account: AccountID?, _ answers: inout ResponseBatch
  ) {
    logRefusal(of: call.peer)
    queue.note(NewEvent(.codeRefused, of: account, at: environment.now()))
    call.answer(.fail(.badCode), &answers)
  }

  /// Issues an additional identity to the caller. Idempotent for requests with a nonce.
  package func renew(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let nonce = try decoded(RenewRequest.self, bytes).nonce
    let now = environment.now()
    guard session.account.mayLeaveTrace(at: now) else { throw .tooManyTraces }
    let tokens = (0..<Self.draws).map { _ in drawToken() }
    try queue.perform(by: .device(session), use: .writes, costBytes: 1024, answer: answer()) {
      batch throws(StoreError) -> Pairing.Outcome in
      guard try batch.allows(session) else { return .denied(session.account.id) }
      for token in tokens {
        let outcome = try Pairing.renew(
          session.replica, of: session.account.id, nonce: nonce, token: token, at: now,
          in: batch.transaction)
        if case .replicaTaken = outcome { continue }
        return outcome
      }
      return .replicaTaken
    } reply: { [self] outcome in
      admit(outcome, denied: .unknownDevice)
    }
    return .later
  }

  /// Registers a device after its commit and returns its credentials.
  private func admit(_ outcome: Pairing.Outcome, denied: Status) -> UnaryOutcome {
    switch outcome {
    case .paired(let paired):
      registry.add(paired.device)
      logger.info("a device was paired", metadata: ["device": "\(paired.device.replica.hex)"])
      return welcome(paired)
    case .madeBefore(let paired): return welcome(paired)
    case .denied, .voided, .awaitsApproval: return .fail(denied)
    case .hasNoDigits: return .fail(.hasNoDigits)
    case .tooManyDevices: return .fail(.tooManyDevices)
    case .replicaTaken: return .fail(.busy)
    case .tooManyTries: return .fail(.tooManyTries)
    }
  }

  func welcome(_ paired: PairedDevice) -> UnaryOutcome {
    .reply(
      PairResponse(
        replica: paired.device.replica, token: Credentials(cell: cell, token: paired.token).text,
        accountName: paired.accountName, serverTime: environment.now(),
        deviceName: paired.device.name
      ).packed)
  }

  /// Creates a pairing code for the caller's account.
  package func invite(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let needsApproval = try !decoded(InviteRequest.self, bytes).withoutApproval
    guard session.account.mayLeaveTrace(at: environment.now()) else { throw .tooManyTraces }
    try invite(
      by: session.replica, for: .device(session), needsApproval: needsApproval, answer: answer()
    ) {
      batch throws(StoreError) in
      try batch.allows(session) ? session.account.id : nil
    } missing: {
      .unknownDevice
    } reply: { [servesApp] code, expires in
      InviteResponse(
        code: code, expires: expires, needsApproval: needsApproval, servesApp: servesApp
      ).packed
    }
    return .later
  }

  /// Creates a pairing code for the account that `find` returns within the transaction. Shared with
  /// the Admin service.
  func invite(
    by inviter: ReplicaID?, for payer: Payer, needsApproval: Bool, answer: Answer,
    find: @escaping @Sendable (Batch) throws(StoreError) -> AccountID?,
    missing: @escaping @Sendable () -> Status,
    reply: @escaping @Sendable (_ code: String, _ expires: WallTime) -> [UInt8]
  ) throws(Status) {
    let now = environment.now()
    let codes = (0..<Self.draws).map { _ in drawCode() }
    try queue.perform(by: payer, use: .writes, answer: answer) {
      batch throws(StoreError) -> (outcome: Pairing.InviteOutcome, code: PairingCode)? in
      guard let account = try find(batch) else { return nil }
      for code in codes {
        let outcome = try Pairing.invite(
          code, to: account, by: inviter, needsApproval: needsApproval, at: now,
          in: batch.transaction)
        if outcome != .handleTaken { return (outcome, code) }
      }
      return (.handleTaken, codes[0])
    } reply: { result in
      switch result?.outcome {
      case .made?:
        return .reply(reply(result?.code.text ?? "", Pairing.expiry(from: now)))
      case .tooMany?:
        return .fail(
          Status(
            .resourceExhausted,
            "This account has many unused pairing codes. Use one, or wait five minutes."
          ).because(.pairingCodeLimit, quota: .account, retry: .after(.seconds(300))))
      case .handleTaken?: return .fail(.busy)
      case nil: return .fail(missing())
      }
    }
  }

  /// Lists the devices of the caller's account.
  package func list(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    _ = try decoded(EmptyMessage.self, bytes)
    let registry = registry
    try queue.perform(
      by: .device(session), use: .reads, answer: answer(), size: AnswerSize.list
    ) { batch throws(StoreError) -> [DeviceEntry]? in
      // The device may have been revoked after the call was authenticated.
      guard try batch.allows(session) else { return nil }
      return Pairing.listed(try batch.transaction.devices.list(of: session.account.id))
    } reply: { entries in
      guard let entries else { return .fail(.unknownDevice) }
      let devices = entries.map { registry.shown($0, isCurrent: $0.replica == session.replica) }
      return .reply(DevicesListResponse(devices: devices).packed)
    }
    return .later
  }

  /// Renames a device of the caller's account.
  package func rename(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(DevicesRenameRequest.self, bytes)
    let now = environment.now()
    guard Name.isAllowed(request.name) else { throw .badName }
    guard session.account.mayRename(at: now) else { throw .tooManyRenames }
    let registry = registry
    try queue.perform(by: .device(session), use: .writes, answer: answer()) {
      batch throws(StoreError) -> (name: String?, isRevoked: Bool) in
      let account = session.account.id
      guard try batch.allows(session) else { return (nil, true) }
      let name = try Pairing.rename(
        request.replica, of: account, to: request.name, by: session.replica, at: now,
        in: batch.transaction)
      return (name, false)
    } reply: { [self] name, isRevoked in
      guard let name else { return .fail(isRevoked ? .unknownDevice : .notFound) }
      registry.session(request.replica)?.rename(to: name)
      queue.announce([.renamed(request.replica)])
      return .reply(DevicesRenameResponse(name: name).packed)
    }
    return .later
  }

  /// Revokes a device of the caller's account and, on request, all its descendants.
  package func revoke(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(DevicesRevokeRequest.self, bytes)
    try revoke(
      request, by: session.replica, for: .urgent(session), answer: answer()
    ) { (device, batch) throws(StoreError) -> Bool in
      guard device.account == session.account.id else { return false }
      return try batch.allows(session)
    }
    return .later
  }

  /// Revokes a device if `isAllowed` permits it. Shared with the Admin service.
  func revoke(
    _ request: DevicesRevokeRequest, by actor: ReplicaID?, for payer: Payer, answer: Answer,
    isAllowed: @escaping @Sendable (DeviceEntry, Batch) throws(StoreError) -> Bool
  ) throws(Status) {
    let now = environment.now()
    let registry = registry
    let logger = logger
    try queue.perform(by: payer, use: .clears, answer: answer) {
      batch throws(StoreError) -> Revocation? in
      guard let device = try batch.transaction.devices.find(request.replica),
        try isAllowed(device, batch)
      else { return nil }
      return try batch.revoke(request, of: device.account, by: actor, at: now)
    } reply: { [self] revocation in
      guard let revocation else { return .fail(.notFound) }
      let ended = Set(revocation.ended)
      queue.announce(ended.map { .revoked($0) })
      for replica in ended { registry.revoke(replica, at: now) }
      lookAtCalls { ended.contains($0.inviter) }
      for replica in revocation.answer.revoked {
        logger.info("a device's access ended", metadata: ["device": "\(replica.hex)"])
      }
      return .reply(revocation.answer.packed)
    }
  }

  /// Drops an account that was removed from the store: ends its streams and invalidates its tokens.
  ///
  /// - Parameter caller: See `SessionRegistry.remove`.
  func forget(_ account: AccountID, answering caller: DeviceSession?) {
    let count = registry.remove(account, at: environment.now(), answering: caller)
    queue.announce([.removed(account)])
    lookAtCalls { $0.account == account }
    logger.notice("an account was removed", metadata: ["devices": "\(count)"])
  }

  func drawCode() -> PairingCode { PairingCode(cell: cell, random: environment.random) }

  func drawToken() -> Token {
    Token(replica: drawReplica(), secret: environment.random(Token.secretBytes))
  }

  func drawReplica() -> ReplicaID { ReplicaID(rawValue: drawNumber()) }

  /// 63 bits, because some languages have no unsigned integers. Not zero, because zero means "no
  /// device".
  private func drawNumber() -> UInt64 { max(1, environment.randomNumber() & (UInt64.max >> 1)) }
}

/// Decodes a request.
///
/// - Throws: INTERNAL for malformed bytes, INVALID_ARGUMENT for a broken rule.
func decoded<Message: PackedMessage>(
  _ type: Message.Type, _ bytes: [UInt8]
) throws(Status) -> Message {
  do throws(WireError) { return try Message(unpacking: bytes) } catch { throw Status(error) }
}

extension ReplicaID {
  /// The form that people see: 16 hexadecimal digits.
  var hex: String {
    Hexadecimal.encoded(rawValue)
  }
}
