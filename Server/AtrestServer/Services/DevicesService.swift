// SPDX-License-Identifier: Apache-2.0
// The Devices service: pair, invite, renew, list, revoke.

import GRPC
import Logging
import Replication
import SyncProtocol
import Synchronization
import Transport

/// What the Devices service does with a request. Knows no connection.
package final class DevicesService: Sendable {
  private let queue: CommitQueue
  private let directory: Directory
  private let environment: Environment
  private let logger: Logger
  private let limiter = Mutex(AttemptLimiter())

  /// Draws of a handle or an identity before giving up. Two in a row that are taken are rare already.
  static let draws = 8

  package init(
    queue: CommitQueue, directory: Directory, environment: Environment, logger: Logger
  ) {
    self.queue = queue
    self.directory = directory
    self.environment = environment
    self.logger = logger
  }

  /// Joins an account. The only method that needs no token.
  package func pair(
    _ bytes: [UInt8], from peer: [UInt8]? = nil, answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(PairRequest.self, bytes)
    let now = environment.now()
    guard Name.isAllowed(request.deviceName) else { throw .badName }
    guard limiter.withLock({ $0.take(from: peer, at: now) }) else { throw .tooManyTries }
    guard let code = PairingCode(request.code) else { throw .badCode }
    let tokens = (0..<Self.draws).map { _ in drawToken() }
    try queue.perform(use: .writes, costBytes: 1024, answer: answer()) {
      batch throws(StoreError) in
      var outcome = Pairing.Outcome.replicaTaken
      for token in tokens {
        outcome = try Pairing.pair(
          code, token: token, name: request.deviceName, at: now, in: batch.transaction)
        if case .replicaTaken = outcome { continue }
        return outcome
      }
      return outcome
    } reply: { [self] outcome in
      if case .denied = outcome {} else { limiter.withLock { $0.giveBack(to: peer) } }
      if case .denied = outcome { logger.notice("a pairing code was refused") }
      return admit(outcome, denied: .badCode)
    }
    return .later
  }

  /// Gives the caller a second identity, beside the one it has; the same one again to a request that is repeated.
  package func renew(
    _ session: Session, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let nonce = try decoded(RenewRequest.self, bytes).nonce
    let now = environment.now()
    let tokens = (0..<Self.draws).map { _ in drawToken() }
    try queue.perform(use: .writes, costBytes: 1024, answer: answer()) {
      batch throws(StoreError) -> Pairing.Outcome in
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

  /// Lets a device in that storage has, and tells it who it is.
  private func admit(_ outcome: Pairing.Outcome, denied: Status) -> UnaryOutcome {
    switch outcome {
    case .paired(let device, let token):
      directory.add(device)
      logger.info("a device was paired", metadata: ["device": "\(device.replica.hex)"])
      return welcome(device, token)
    case .renewedBefore(let device, let token): return welcome(device, token)
    case .denied: return .fail(denied)
    case .tooManyDevices:
      return .fail(Status(.resourceExhausted, "This account has too many devices."))
    case .replicaTaken: return .fail(.busy)
    }
  }

  private func welcome(_ device: DeviceEntry, _ token: Token) -> UnaryOutcome {
    .reply(
      PairResponse(
        replica: device.replica, token: token.text,
        accountName: directory.account(device.account)?.name ?? "",
        serverTime: environment.now(), deviceName: device.name
      ).encoded)
  }

  /// Makes a code for the caller's account.
  package func invite(
    _ session: Session, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    _ = try decoded(EmptyMessage.self, bytes)
    try invite(answer: answer()) { _ throws(StoreError) in
      session.isRevoked ? nil : session.account.id
    } missing: {
      .unknownDevice
    } reply: { code, expires in
      InviteResponse(code: code, expires: expires).encoded
    }
    return .later
  }

  /// Makes a code for the account that `find` names, in the transaction. Shared with the Admin service.
  func invite(
    answer: @escaping Answer,
    find: @escaping @Sendable (Batch) throws(StoreError) -> AccountID?,
    missing: @escaping @Sendable () -> Status,
    reply: @escaping @Sendable (_ code: String, _ expires: WallTime) -> [UInt8]
  ) throws(Status) {
    let now = environment.now()
    let codes = (0..<Self.draws).map { _ in PairingCode(random: environment.random) }
    try queue.perform(use: .writes, answer: answer) {
      batch throws(StoreError) -> (outcome: Pairing.InviteOutcome, code: PairingCode)? in
      guard let account = try find(batch) else { return nil }
      for code in codes {
        let outcome = try Pairing.invite(code, to: account, at: now, in: batch.transaction)
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
            "This account has many unused pairing codes. Use one, or wait five minutes."))
      case .handleTaken?: return .fail(.busy)
      case nil: return .fail(missing())
      }
    }
  }

  /// The devices of the caller's account.
  package func list(
    _ session: Session, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    _ = try decoded(EmptyMessage.self, bytes)
    let directory = directory
    try queue.perform(use: .reads, answer: answer()) {
      batch throws(StoreError) -> [ReplicaID]? in
      // The call may have been let in before the device's access ended.
      guard !session.isRevoked else { return nil }
      return try batch.transaction.devices(of: session.account.id).map(\.replica)
    } reply: { replicas in
      guard let replicas else { return .fail(.unknownDevice) }
      // Order from the store, the rest from memory: there the time of the last call is fresher.
      let devices = replicas.compactMap { replica in
        directory.session(replica)?.device(isCurrent: replica == session.replica)
      }
      return .reply(ListDevicesResponse(devices: devices).encoded)
    }
    return .later
  }

  /// Ends the access of a device of the caller's account.
  package func revoke(
    _ session: Session, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(RevokeDeviceRequest.self, bytes)
    try revoke(request.replica, answer: answer()) { device in
      device.account.id == session.account.id && !session.isRevoked
    }
    return .later
  }

  /// Ends the access of a device that `isAllowed` lets go. Shared with the Admin service.
  func revoke(
    _ replica: ReplicaID, answer: @escaping Answer,
    isAllowed: @escaping @Sendable (Session) -> Bool
  ) throws(Status) {
    let now = environment.now()
    let directory = directory
    let logger = logger
    try queue.perform(use: .clears, answer: answer) { batch throws(StoreError) in
      guard let device = directory.session(replica), isAllowed(device) else { return false }
      return try batch.transaction.revokeDevice(replica, at: now)
    } reply: { isRevoked in
      guard isRevoked else { return .fail(.notFound) }
      directory.revoke(replica, at: now)
      logger.info("a device's access ended", metadata: ["device": "\(replica.hex)"])
      return .reply(EmptyMessage().encoded)
    }
  }

  /// Forgets an account that storage has no more: its devices' streams end, and their tokens.
  func forget(_ account: AccountID) {
    let count = directory.remove(account, at: environment.now())
    logger.notice("an account was removed", metadata: ["devices": "\(count)"])
  }

  private func drawToken() -> Token {
    // 63 bits, and not zero: some languages have no unsigned numbers, and zero stands for "no device".
    let number = max(1, environment.randomNumber() & (UInt64.max >> 1))
    return Token(
      replica: ReplicaID(rawValue: number), secret: environment.random(Token.secretBytes))
  }
}

/// Decodes a request, or fails the call.
func decoded<Message: WireMessage>(
  _ type: Message.Type, _ bytes: [UInt8]
) throws(Status) -> Message {
  do throws(WireError) { return try Message(decoding: bytes) } catch { throw Status(error) }
}

extension ReplicaID {
  /// As people see it: 16 hexadecimal digits.
  var hex: String {
    hexEncoded(withUnsafeBytes(of: rawValue.bigEndian) { Array($0) })
  }
}
