// SPDX-License-Identifier: Apache-2.0
// What the server asks of durable storage: the contract that every store is held to by one suite of
// tests.

import AtrestProtocol
import AtrestReplication

/// The number of an account within its store. Positive, never given twice.
package struct AccountID: RawRepresentable, Hashable, Sendable {
  /// The number.
  package let rawValue: Int64

  /// An id with the given number.
  package init(rawValue: Int64) {
    self.rawValue = rawValue
  }
}

/// Durable storage of accounts, devices, invitations and records.
///
/// Used by one thread at a time. Everything is keyed by account: no call can reach another
/// account's rows.
package protocol SyncStore: AnyObject {
  /// Runs `body` in a transaction: on return everything it wrote is durable, on a throw none of it
  /// happened. The exception is `StoreError.commitUnknown`, after which the process has to end.
  ///
  /// One `fsync` if something was written, none otherwise. `body` must not let the transaction
  /// escape.
  func transaction<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R

  /// Whether something was removed that a file of the store may still hold.
  var owesErasure: Bool { get }

  /// Makes the files anew of what there is: afterwards none of them holds what was removed. Not
  /// inside a transaction. O(all there is), and takes twice its room meanwhile; if that is not to
  /// be had it throws, and erasure is still owed, also after the store was closed.
  func erase() throws(StoreError)

  /// Begins a copy of the store in a file that does not exist yet. Steps may be taken between
  /// transactions; what they write meanwhile is in the copy too. One at a time.
  func beginBackup(to path: String) throws(StoreError) -> any StoreBackup

  /// Closes the store; later transactions throw `closed`. Idempotent.
  func close()
}

/// A copy of a store that is being made. Let go before it is done, it leaves a file that is of no
/// use.
package protocol StoreBackup: AnyObject {
  /// Copies about a megabyte; true once everything is copied and the file closed. It is not synced.
  func step() throws(StoreError) -> Bool
}

/// One open transaction. Every call sees what earlier calls of the same transaction wrote.
package protocol StoreTransaction: AnyObject {
  // MARK: The clock

  /// Notes what the server's clock shows, to be kept with whatever the transaction writes.
  ///
  /// - Returns: The greatest time that it ever showed to a transaction that wrote, this one
  ///   included: what dates things that are to be kept for some time, so that a clock that went
  ///   back does not end them early.
  func noteClock(_ now: WallTime) -> WallTime

  // MARK: Records

  /// The account's last commit; `Cursor.start` for a new or unknown account.
  func head(of account: AccountID) throws(StoreError) -> Cursor

  /// Notes a commit: its name, and the greatest sequence given. Must be called, once, by whoever
  /// gave sequences.
  func setHead(_ head: Cursor, of account: AccountID) throws(StoreError)

  /// The greatest time of any stamp that the account ever took, signed facts left out; 0 for none.
  func latestTime(of account: AccountID) throws(StoreError) -> HybridTime
  /// Notes times that the account took.
  func raiseLatestTime(to time: HybridTime, of account: AccountID) throws(StoreError)

  /// The position of a sequence in the account's feed: the sequence with the name of the commit
  /// that gave it, or, where that is not kept any more, of the oldest later one that is. Nil beyond
  /// the head.
  ///
  /// A position is in the store's own past if and only if this returns it again. A store that was
  /// put back, or lost its last commits, has other commits in their places, or none.
  func position(of sequence: UInt64, account: AccountID) throws(StoreError) -> Cursor?

  /// Forgets the names of commits but for the newest `count`, the head, and those that devices with
  /// access were told or showed last.
  func pruneCommits(of account: AccountID, keeping count: Int) throws(StoreError)

  /// Appends a record to the account's feed unless the account has one with its key.
  ///
  /// - Parameters:
  ///   - key: See `storageKey`.
  ///   - sequence: Greater than every sequence of the account.
  ///   - due: When housekeeping is to look at it; nil: never.
  /// - Returns: Whether it was appended.
  func append(
    key: [UInt8], body: [UInt8], sequence: UInt64, due: WallTime?, account: AccountID
  ) throws(StoreError) -> Bool

  /// The record with the key, or nil.
  func record(key: [UInt8], account: AccountID) throws(StoreError) -> StoredRecord?

  /// The key of the record at a place in the feed, or nil.
  func key(at sequence: UInt64, account: AccountID) throws(StoreError) -> [UInt8]?

  /// Replaces the record with the key.
  ///
  /// - Parameter record: Its sequence is the one it had, or greater than every one of the account:
  ///   then it moves to the end of the feed.
  func replace(
    key: [UInt8], by record: StoredRecord, account: AccountID
  ) throws(StoreError)

  /// Hands out the account's records from one key on and up to another, which is left out,
  /// ascending by key, until `visit` returns false. An empty `end` leaves nothing out. A lookup in
  /// the feed for each, so `feed(of:after:_:)` is faster for all there are.
  func records(
    of account: AccountID, from begin: [UInt8], to end: [UInt8],
    _ visit: (_ key: [UInt8], _ body: [UInt8]) -> Bool
  ) throws(StoreError)

  /// At most `limit` of the account's records that are due at `now`, or due at any time, no journal
  /// entries, and known to whoever holds everything up to `acknowledged`. In no particular order.
  func recordsDue(
    of account: AccountID, at now: WallTime, orKnownAt acknowledged: UInt64, limit: Int
  ) throws(StoreError) -> [(key: [UInt8], record: StoredRecord)]

  /// Notes that nothing is to be done about a record, which stays where it is.
  func setNotDue(key: [UInt8], account: AccountID) throws(StoreError)

  /// What the account is noted to hold; nothing for an unknown account.
  func holdings(of account: AccountID) throws(StoreError) -> Holdings

  /// Notes what was added to the account's records, or, below zero, taken away. Must be called by
  /// whoever did that.
  func add(_ change: Holdings, to account: AccountID) throws(StoreError)

  /// Hands out the account's records with a sequence above `after`, ascending, until `visit`
  /// returns false. Cost grows with what is handed out, not with what the account holds.
  func feed(
    of account: AccountID, after: UInt64, _ visit: (_ sequence: UInt64, _ body: [UInt8]) -> Bool
  ) throws(StoreError)

  // MARK: Accounts

  /// Makes an account; nil if the name is taken.
  func addAccount(name: String, created: WallTime) throws(StoreError) -> AccountID?
  /// The account of that name, or nil.
  func account(named name: String) throws(StoreError) -> AccountID?
  /// Removes an account and every row of it. Its number is not given again; its name may be.
  /// O(records).
  func removeAccount(_ id: AccountID) throws(StoreError)
  /// All accounts by name.
  func accounts() throws(StoreError) -> [AccountEntry]
  /// One account, or nil.
  func account(_ id: AccountID) throws(StoreError) -> AccountEntry?

  // MARK: Devices

  /// Adds a device; false, and nothing happens, if the replica identity was ever given before.
  func addDevice(_ device: DeviceEntry) throws(StoreError) -> Bool
  /// The devices of one account, or of all, by account and then oldest first. Revoked ones
  /// included.
  func devices(of account: AccountID?) throws(StoreError) -> [DeviceEntry]
  /// Notes when a device's access ended, unless it had ended before. False if there is no such
  /// device.
  func revokeDevice(_ replica: ReplicaID, at time: WallTime) throws(StoreError) -> Bool
  /// Gives a device another name. Nothing happens if there is no such device.
  func renameDevice(_ replica: ReplicaID, to name: String) throws(StoreError)
  /// Notes when a device last called; never back in time.
  func setSeen(_ time: WallTime, device: ReplicaID) throws(StoreError)

  /// Notes what the device said of itself, and was told.
  func setProgress(_ progress: DeviceProgress, of device: ReplicaID) throws(StoreError)
  /// The sequence up to which every device of the account that has access, and called later than
  /// `horizon`, said that it holds everything; 0 if there is none. Devices that never called have
  /// nothing to say.
  func acknowledgedSequence(
    of account: AccountID, seenAfter horizon: WallTime
  ) throws(StoreError) -> UInt64

  /// How far the server has gone through the device's outbox; `.empty` for no such device.
  func outbox(of device: ReplicaID) throws(StoreError) -> DeviceOutbox
  /// Notes how far it has.
  func setOutbox(_ outbox: DeviceOutbox, of device: ReplicaID) throws(StoreError)

  // MARK: Purchases

  /// The account that holds a purchase, and since when; nil if none does.
  func holder(of purchase: PurchaseKey) throws(StoreError) -> (account: AccountID, since: WallTime)?
  /// Notes which account holds a purchase: it alone.
  func setHolder(
    _ account: AccountID, since: WallTime, of purchase: PurchaseKey
  ) throws(StoreError)
  /// What the App Store calls the account: `token`, unless another was noted before. Nil, and
  /// nothing happens, if another account has it.
  func appAccountToken(of account: AccountID, orElse token: [UInt8]) throws(StoreError) -> [UInt8]?

  // MARK: Invitations

  /// Adds an invitation; false, and nothing happens, if the handle is in use.
  func addInvitation(_ invitation: InvitationEntry) throws(StoreError) -> Bool
  /// The invitation with the handle, or nil.
  func invitation(handle: String) throws(StoreError) -> InvitationEntry?
  /// How many invitations of an account nobody has used.
  func invitationCount(of account: AccountID) throws(StoreError) -> Int
  /// Notes which token an invitation was used for: it stays until it expires, so that its user can
  /// be answered again.
  func useInvitation(handle: String, by tokenHash: [UInt8]) throws(StoreError)
  /// Notes how many wrong tries are left.
  func setTriesLeft(_ count: Int, invitation handle: String) throws(StoreError)
  /// Removes an invitation; no error if there is none.
  func removeInvitation(handle: String) throws(StoreError)
  /// Removes the invitations that end at none of these times.
  func removeInvitations(endingOutside ends: ClosedRange<WallTime>) throws(StoreError)
  /// Removes the invitations that a device made.
  func removeInvitations(madeBy inviter: ReplicaID) throws(StoreError)

  // MARK: Events

  /// Writes down what happened, after all that happened before. Nothing can be changed or removed,
  /// by nobody.
  func addEvent(_ event: NewEvent) throws(StoreError)
  /// Events of one account, or of all, below a number, newest first.
  ///
  /// - Parameter number: Nil: from the newest on.
  func events(
    of account: AccountID?, before number: UInt64?, limit: Int
  ) throws(StoreError) -> [EventEntry]
  /// Hands out all events above a number, oldest first, until `visit` returns false.
  func events(
    after number: UInt64, _ visit: (EventEntry) -> Bool
  ) throws(StoreError)
}

/// What an account holds, or by how much that changes.
package struct Holdings: Hashable, Sendable {
  /// Records that are live: see `Record.isLive`.
  package var live = 0
  /// Records.
  package var records = 0
  /// Bytes of the encoded records, and of what is remembered of them.
  package var bytes = 0

  /// Nothing.
  package init(live: Int = 0, records: Int = 0, bytes: Int = 0) {
    self.live = live
    self.records = records
    self.bytes = bytes
  }

  /// Both together.
  package static func + (a: Holdings, b: Holdings) -> Holdings {
    Holdings(live: a.live + b.live, records: a.records + b.records, bytes: a.bytes + b.bytes)
  }
}

/// Names a purchase over all accounts: the original transaction, in its world of the App Store.
package struct PurchaseKey: Hashable, Sendable {
  /// Production or sandbox.
  package let environment: String
  /// The App Store's id of the first purchase.
  package let original: String

  package init(environment: String, original: String) {
    self.environment = environment
    self.original = original
  }
}

/// A record as a store keeps it.
package struct StoredRecord: Hashable, Sendable {
  /// Its place in the account's feed.
  package var sequence: UInt64
  /// The encoded record.
  package var body: [UInt8]
  /// When housekeeping is to look at it; nil: never.
  package var due: WallTime?
  /// Encoded `RecordHistory`.
  package var history: [UInt8] = []

  /// What is remembered of the record. Bytes that rotted cost a journal entry too many at worst.
  var recordHistory: RecordHistory { RecordHistory(decoding: history) ?? RecordHistory() }

  /// Bytes that the account is charged for.
  var bytes: Int { body.count + history.count }
}

/// An account, as lists show it.
package struct AccountEntry: Hashable, Sendable {
  package var id: AccountID
  package var name: String
  package var created: WallTime
  /// Its last commit.
  package var head: Cursor
  /// Devices that have access.
  package var devices: Int
  /// Records held.
  package var records: Int
  /// Bytes of the encoded records, and of what is remembered of them.
  package var bytes: Int
}

/// Where a device is in its account's feed, as far as the server knows.
package struct DeviceProgress: Hashable, Sendable {
  /// The sequence up to which it said that it holds everything.
  package var acknowledgedSequence: UInt64 = 0
  /// The head that it was told last. It may not have heard.
  package var toldSequence: UInt64 = 0

  /// Nowhere.
  package init(acknowledgedSequence: UInt64 = 0, toldSequence: UInt64 = 0) {
    self.acknowledgedSequence = acknowledgedSequence
    self.toldSequence = toldSequence
  }
}

/// A device, as a store keeps it.
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
  /// Noted by `setProgress`, not by `addDevice`.
  package var progress = DeviceProgress()

  /// A device.
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
}

/// A pairing code, as a store keeps it.
package struct InvitationEntry: Hashable, Sendable {
  /// The code's public part.
  package var handle: String
  /// SHA-256 of the code's secret part, 32 bytes.
  package var secretHash: [UInt8]
  package var account: AccountID
  package var expires: WallTime
  /// Wrong tries it still bears.
  package var triesLeft: Int
  /// The device that made it; nil: the server's owner.
  package var inviter: ReplicaID?
  /// Whether a device of the account has to let in whoever uses it.
  package var needsApproval = false
  /// SHA-256 of the token it was used for; nil: nobody used it yet.
  package var usedBy: [UInt8]?
}
