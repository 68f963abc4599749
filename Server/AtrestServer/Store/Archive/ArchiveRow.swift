// SPDX-License-Identifier: Apache-2.0
// The rows of an archive, and their canonical bytes, in which two engines agree. Pure.

import AtrestReplication
import AtrestWire

/// A row of an archive.
package enum ArchiveRow: Hashable, Sendable {
  case account(ArchivedAccount)
  case device(ArchivedDevice)
  case commit(ArchivedCommit)
  case record(ArchivedRecord)
  case event(EventEntry)

  /// Its place in its table.
  package var key: ArchiveKey {
    switch self {
    case .account(let row): ArchiveKey(account: row.id.rawValue, number: 0)
    case .device(let row):
      ArchiveKey(
        account: row.device.account.rawValue,
        number: Int64(bitPattern: row.device.replica.rawValue))
    case .commit(let row):
      ArchiveKey(account: row.account.rawValue, number: Int64(bitPattern: row.cursor.sequence))
    case .record(let row):
      ArchiveKey(
        account: row.address.account.rawValue, number: Int64(bitPattern: row.record.sequence))
    case .event(let row): ArchiveKey(account: 0, number: Int64(bitPattern: row.number))
    }
  }

  /// The account that the row belongs to; `.server` for an event of the server itself.
  package var account: AccountID {
    switch self {
    case .account(let row): row.id
    case .device(let row): row.device.account
    case .commit(let row): row.account
    case .record(let row): row.address.account
    case .event(let row): row.event.account ?? .server
    }
  }
}

/// An account with the state of its feed and its purchases.
package struct ArchivedAccount: Hashable, Sendable {
  package var id: AccountID
  package var name: String
  package var created: WallTime
  /// The sequence of the last commit.
  package var head: UInt64
  /// The name of that commit; nil: there is none, and should be unless `head` is 0.
  package var headCommit: UInt64?
  /// See `FeedState`.
  package var latestTime: UInt64
  package var holdings: Holdings
  /// What the App Store calls the account.
  package var appAccountToken: [UInt8]?
  /// By environment and number.
  package var purchases: [ArchivedPurchase] = []
}

/// A purchase that an account holds.
package struct ArchivedPurchase: Hashable, Sendable {
  package var key: PurchaseKey
  package var since: WallTime
}

/// A device with its outbox.
package struct ArchivedDevice: Hashable, Sendable {
  package var device: DeviceEntry
  package var outbox: OutboxPosition
  /// See `DeviceOutbox.encodedRefusals`.
  package var refusals: [UInt8]
}

/// The name of a commit.
package struct ArchivedCommit: Hashable, Sendable {
  package var account: AccountID
  package var cursor: Cursor
}

/// A record.
package struct ArchivedRecord: Hashable, Sendable {
  package var address: RecordAddress
  package var record: StoredRecord
}

// MARK: - Canonical bytes

/// What a digest is made of: each kind of row of each account.
package enum ArchivePart: Int, CaseIterable, Sendable {
  case account, purchases, devices, commits, records, events
}

/// Fields one after the other, each of which says how long it is.
struct CanonicalBytes {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(bits: UInt64) { append(Int64(bitPattern: bits)) }

  mutating func append(_ field: some Collection<UInt8>) {
    append(Int64(field.count))
    bytes.append(contentsOf: field)
  }

  mutating func append(_ number: Int64?) {
    bytes.append(number == nil ? 0 : 1)
    if let number { append(number) }
  }

  mutating func append(_ field: [UInt8]?) {
    bytes.append(field == nil ? 0 : 1)
    if let field { append(field) }
  }
}

extension ArchiveRow {
  /// What a row says, by part: an account's own row has two.
  ///
  /// An event's number and hash are left out, because engines give their own. Their chains are
  /// verified by themselves.
  func write(_ visit: (ArchivePart, [UInt8]) -> Void) {
    var bytes = CanonicalBytes()
    switch self {
    case .account(let row):
      row.write(to: &bytes)
      visit(.account, bytes.bytes)
      for purchase in row.purchases {
        var bytes = CanonicalBytes()
        bytes.append(purchase.key.environment.utf8)
        bytes.append(purchase.key.original.utf8)
        bytes.append(purchase.since.milliseconds)
        visit(.purchases, bytes.bytes)
      }
    case .device(let row):
      row.write(to: &bytes)
      visit(.devices, bytes.bytes)
    case .commit(let row):
      bytes.append(bits: row.cursor.sequence)
      bytes.append(bits: row.cursor.commit)
      visit(.commits, bytes.bytes)
    case .record(let row):
      bytes.append(row.address.key)
      bytes.append(bits: row.record.sequence)
      bytes.append(row.record.body)
      bytes.append(row.record.due?.milliseconds)
      bytes.append(row.record.history)
      visit(.records, bytes.bytes)
    case .event(let row):
      bytes.append(row.event.account?.rawValue ?? 0)
      bytes.append(row.event.at.milliseconds)
      bytes.append(Int64(row.event.kind.rawValue))
      bytes.append(bits: row.event.actor.rawValue)
      bytes.append(bits: row.event.subject.rawValue)
      bytes.append(row.event.detail)
      bytes.append(Int64(row.event.count))
      visit(.events, bytes.bytes)
    }
  }
}

extension ArchivedAccount {
  fileprivate func write(to bytes: inout CanonicalBytes) {
    bytes.append(id.rawValue)
    bytes.append(name.utf8)
    bytes.append(created.milliseconds)
    bytes.append(bits: head)
    bytes.append(headCommit.map { Int64(bitPattern: $0) })
    bytes.append(bits: latestTime)
    bytes.append(Int64(holdings.live))
    bytes.append(Int64(holdings.records))
    bytes.append(Int64(holdings.bytes))
    bytes.append(appAccountToken)
  }
}

extension ArchivedDevice {
  fileprivate func write(to bytes: inout CanonicalBytes) {
    bytes.append(bits: device.replica.rawValue)
    bytes.append(device.name.utf8)
    bytes.append(device.tokenHash)
    bytes.append(device.paired.milliseconds)
    bytes.append(device.seen?.milliseconds)
    bytes.append(device.revoked?.milliseconds)
    bytes.append(device.origin.parent.map { Int64(bitPattern: $0.rawValue) })
    bytes.append(device.origin.approver.map { Int64(bitPattern: $0.rawValue) })
    bytes.append(device.origin.isRenewed ? 1 : 0)
    bytes.append(bits: device.progress.acknowledgedSequence)
    bytes.append(bits: device.progress.toldSequence)
    bytes.append(bits: outbox.number)
    bytes.append(bits: outbox.token)
    bytes.append(refusals)
  }
}
