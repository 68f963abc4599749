// SPDX-License-Identifier: Apache-2.0
// The contract for devices: their list, what they have seen, and how much of their outboxes was
// taken.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// The devices of all accounts, revoked ones included.
package protocol DeviceStore: AnyObject {
  /// Adds a device.
  ///
  /// - Returns: False if the replica identity was ever given before; nothing happens then.
  func add(_ device: DeviceEntry) throws(StoreError) -> Bool

  /// A device, or nil. The only call that finds a row without its account: a token names a device.
  func find(_ device: ReplicaID) throws(StoreError) -> DeviceEntry?

  /// The cell that a device went to with its account, as far as this one knows; nil: to none.
  func destination(of device: ReplicaID) throws(StoreError) -> CellNumber?

  /// The devices of one account, oldest first, or of all, by the accounts' names.
  func list(of account: AccountID?) throws(StoreError) -> [DeviceEntry]

  /// Ends the access of devices. The first time counts; unknown devices are ignored.
  func revoke(_ devices: [DeviceAddress], at time: WallTime) throws(StoreError)

  /// Renames a device; an unknown one is ignored.
  func rename(_ device: DeviceAddress, to name: String) throws(StoreError)

  /// Records the activity of devices; unknown ones are ignored.
  ///
  /// - Parameters:
  ///   - seen: When devices called last. An earlier time than the store's changes nothing.
  ///   - progress: Where devices are in their accounts' feeds, forward or back.
  func note(
    seen: [DeviceAddress: WallTime], progress: [DeviceAddress: DeviceProgress]
  ) throws(StoreError)

  /// How much of a device's outbox was taken; `DeviceOutbox.empty` for an unknown device.
  func outbox(of device: DeviceAddress) throws(StoreError) -> DeviceOutbox

  /// Replaces that; an unknown device is ignored.
  func setOutbox(_ outbox: DeviceOutbox, of device: DeviceAddress) throws(StoreError)
}

/// Names a device in a store. An engine with many writers finds its row by the account.
package struct DeviceAddress: Hashable, Sendable {
  package var account: AccountID
  package var replica: ReplicaID

  package init(account: AccountID, replica: ReplicaID) {
    self.account = account
    self.replica = replica
  }
}

/// A device as a store keeps it.
package struct DeviceEntry: Hashable, Sendable {
  package var replica: ReplicaID
  package var account: AccountID
  package var name: String
  /// SHA-256 of the token's secret, 32 bytes.
  package var tokenHash: [UInt8]
  package var paired: WallTime
  package var seen: WallTime?
  package var revoked: WallTime?
  /// Which device invited it, let it in, or renewed itself into it.
  package var origin: DeviceOrigin
  /// Set by `DeviceStore.note`; `DeviceStore.add` ignores it.
  package var progress = DeviceProgress()

  package init(
    replica: ReplicaID, account: AccountID, name: String, tokenHash: [UInt8], paired: WallTime,
    seen: WallTime? = nil, revoked: WallTime? = nil, origin: DeviceOrigin = .owner,
    progress: DeviceProgress = DeviceProgress()
  ) {
    self.replica = replica
    self.account = account
    self.name = name
    self.tokenHash = tokenHash
    self.paired = paired
    self.seen = seen
    self.revoked = revoked
    self.origin = origin
    self.progress = progress
  }

  package var address: DeviceAddress { DeviceAddress(account: account, replica: replica) }
}

/// Where a device is in its account's feed, as far as the server knows.
package struct DeviceProgress: Hashable, Sendable {
  /// The device said that it holds everything up to this sequence.
  package var acknowledgedSequence: UInt64 = 0
  /// The device was told this cursor. It may not have heard.
  package var toldSequence: UInt64 = 0

  package init(acknowledgedSequence: UInt64 = 0, toldSequence: UInt64 = 0) {
    self.acknowledgedSequence = acknowledgedSequence
    self.toldSequence = toldSequence
  }
}
