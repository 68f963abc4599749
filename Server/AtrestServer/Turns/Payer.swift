// SPDX-License-Identifier: Apache-2.0

import AtrestLedger
import AtrestReplication

/// The party that is charged for a storage job.
package struct Payer: Sendable {
  /// The units of fairness: parties share storage equally, however much each one submits.
  package enum Party: Hashable, Sendable {
    /// The server's operator, and background work.
    case server
    /// All unauthenticated callers.
    case unauthenticated
    /// All devices of one account.
    case account(AccountID)
  }

  package let party: Party
  /// The device, by its first identity, or the address of an unauthenticated caller. Devices share
  /// their account's part equally, and addresses theirs. Nil: the party itself.
  package let device: ReplicaID?
  /// Pays for memory in the meantime. Nil: the party, whose holder the queue keeps.
  let holder: Balance?
  /// Whether the job precedes others that are not urgent: it revokes access, or approves a pending
  /// device.
  package let isUrgent: Bool

  init(
    _ party: Party, _ device: ReplicaID? = nil, _ holder: Balance? = nil, isUrgent: Bool = false
  ) {
    self.party = party
    self.device = device
    self.holder = holder
    self.isUrgent = isUrgent
  }

  private init(_ session: DeviceSession, isUrgent: Bool = false) {
    self.init(
      .account(session.account.id), session.firstIdentity, session.grant.payer, isUrgent: isUrgent)
  }

  /// The server's background work, and the operator's ordinary commands.
  package static let server = Payer(.server)
  /// The operator's urgent commands, such as a revocation.
  package static let owner = Payer(.server, isUrgent: true)
  /// A device that is pairing.
  package static let unauthenticated = Payer(.unauthenticated)

  /// Whoever calls from an address. Two addresses may be taken for one: nobody can choose which,
  /// because the hash is seeded for each process.
  ///
  /// - Parameter peer: Identifies the address; nil: it says nothing.
  package static func unauthenticated(from peer: [UInt8]?) -> Payer {
    guard let peer else { return .unauthenticated }
    return Payer(.unauthenticated, ReplicaID(rawValue: UInt64(bitPattern: Int64(peer.hashValue))))
  }

  /// An account, for work that no device of it asked for.
  package static func account(_ id: AccountID) -> Payer { Payer(.account(id)) }

  /// A device.
  package static func device(_ session: DeviceSession) -> Payer { Payer(session) }

  /// A device that revokes access or approves a pending device.
  package static func urgent(_ session: DeviceSession) -> Payer {
    Payer(session, isUrgent: true)
  }
}
