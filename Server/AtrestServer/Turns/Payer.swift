// SPDX-License-Identifier: Apache-2.0

import AtrestLedger
import AtrestReplication

/// Who has storage do something: what that takes is charged to them.
package struct Payer: Sendable {
  /// Parties share storage alike, however much each of them asks for.
  package enum Party: Hashable, Sendable {
    /// The server's owner, and the server's own errands.
    case server
    /// Whoever has proved nothing yet.
    case unauthenticated
    /// All devices of an account together.
    case account(AccountID)
  }

  package let party: Party
  /// The device, by its first identity, which shares its account's part with the others; nil: the
  /// party itself.
  package let device: ReplicaID?
  /// Who pays for the memory that is held meanwhile; nil: the party, of which the queue keeps
  /// account.
  let holder: Holder?
  /// Whether it comes before what is not urgent: it ends what somebody else does, or lets somebody
  /// in who waits.
  package let isUrgent: Bool

  init(
    _ party: Party, _ device: ReplicaID? = nil, _ holder: Holder? = nil, isUrgent: Bool = false
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

  /// The server itself, and what its owner asks for.
  package static let server = Payer(.server)
  /// The server's owner, who ends what somebody else does.
  package static let owner = Payer(.server, isUrgent: true)
  /// Somebody who asks to be let in.
  package static let unauthenticated = Payer(.unauthenticated)

  /// An account, for what no device of it asked for.
  package static func account(_ id: AccountID) -> Payer { Payer(.account(id)) }

  /// A device.
  package static func device(_ session: DeviceSession) -> Payer { Payer(session) }

  /// A device that ends what somebody else does, or lets somebody in who waits.
  package static func urgent(_ session: DeviceSession) -> Payer {
    Payer(session, isUrgent: true)
  }
}
