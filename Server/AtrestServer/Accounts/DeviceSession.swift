// SPDX-License-Identifier: Apache-2.0
// A device in the server's memory, so that authentication needs no storage.

import AtrestDomain
import AtrestHTTP2
import AtrestLedger
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

/// A paired device. There is one object per device for the life of the process. Revocation marks
/// the object, so every holder sees it at once.
package final class DeviceSession: Sendable {
  package let replica: ReplicaID
  /// The identity before all renewals, or its own if it was never renewed. All identities of one
  /// chain share storage turns as one device, because a device can renew itself any number of
  /// times.
  let firstIdentity: ReplicaID
  package let account: AccountState
  /// The grant for its calls. Revoking it ends the calls and their connections.
  let grant: CallerGrant
  var address: DeviceAddress { DeviceAddress(account: account.id, replica: replica) }
  /// The name that people see.
  var name: String { currentName.withLock { $0 } }
  private let currentName: Mutex<String>
  let paired: WallTime
  /// The device that invited, approved or renewed it.
  let origin: DeviceOrigin
  private let tokenHash: [UInt8]
  /// The last secret that was accepted. Saves a hash for repeated headers.
  private let knownSecret = Mutex<[UInt8]?>(nil)
  private let seenMilliseconds: Atomic<Int64>
  private let revokedMilliseconds: Atomic<Int64>
  private let currentProgress: Mutex<DeviceProgress>
  private let isReconciling = Atomic(false)
  /// How far the device's clock was ahead of the server's, and when that was reported, both in
  /// milliseconds.
  private let clockOffset = Mutex<(milliseconds: Int64, at: WallTime)?>(nil)
  private let watches = Mutex<[ObjectIdentifier: Watch]>([:])
  /// When the store was last known to hold what is known here. Only for a shared store.
  private let confirmedNanoseconds = Atomic<UInt64>(0)

  /// Maximum number of open Watch streams per device: one in use, plus those of lost connections.
  static let maxWatches = 8
  /// Minimum interval between recorded times of the last call, in milliseconds.
  static let seenGrainMilliseconds: Int64 = 60_000

  init(_ device: DeviceEntry, first firstIdentity: ReplicaID, account: AccountState) {
    replica = device.replica
    self.firstIdentity = firstIdentity
    self.account = account
    grant = CallerGrant(payer: Balance(under: account.payer))
    currentName = Mutex(device.name)
    paired = device.paired
    origin = device.origin
    tokenHash = device.tokenHash
    seenMilliseconds = Atomic(device.seen?.milliseconds ?? 0)
    currentProgress = Mutex(device.progress)
    revokedMilliseconds = Atomic(device.revoked?.milliseconds ?? 0)
  }

  package var isRevoked: Bool { revokedMilliseconds.load(ordering: .acquiring) != 0 }

  /// Whether the secret is this device's. Constant time, plus a hash the first time.
  func accepts(_ secret: [UInt8]) -> Bool {
    let isKnown = knownSecret.withLock { known in
      known.map { Secret.areEqual($0, secret) } ?? false
    }
    if isKnown { return true }
    guard Secret.areEqual(Secret.hash(secret), tokenHash) else { return false }
    knownSecret.withLock { $0 = secret }
    return true
  }

  /// Records a call. True if the new time should be stored.
  func touch(at now: WallTime) -> Bool {
    let seen = seenMilliseconds.load(ordering: .relaxed)
    let (due, overflow) = seen.addingReportingOverflow(Self.seenGrainMilliseconds)
    guard !overflow, now.milliseconds >= due else { return false }
    return seenMilliseconds.compareExchange(
      expected: seen, desired: now.milliseconds, ordering: .relaxed
    ).exchanged
  }

  /// Sets the device's name.
  func rename(to name: String) {
    currentName.withLock { $0 = name }
  }

  /// An instant at which the store certainly held what is known here.
  var confirmed: Instant {
    Instant(nanoseconds: confirmedNanoseconds.load(ordering: .acquiring))
  }

  /// Notes that the store was read.
  ///
  /// - Parameter instant: Before it was read.
  func confirm(at instant: Instant) {
    _ = confirmedNanoseconds.max(instant.nanoseconds, ordering: .acquiringAndReleasing)
  }

  /// Notes that the store may hold something else by now.
  func doubt() { confirmedNanoseconds.store(0, ordering: .releasing) }

  /// The time of the last call.
  var seen: WallTime? {
    let milliseconds = seenMilliseconds.load(ordering: .relaxed)
    return milliseconds == 0 ? nil : WallTime(milliseconds: milliseconds)
  }

  /// Revokes the device and ends its streams and calls.
  func revoke(at now: WallTime) {
    endAccess(at: now)
    endCalls()
  }

  /// Refuses later calls and ends the streams. A call under way may still be answered, until
  /// `endCalls`.
  func endAccess(at now: WallTime) {
    // Zero means "not revoked".
    _ = revokedMilliseconds.compareExchange(
      expected: 0, desired: max(1, now.milliseconds), ordering: .acquiringAndReleasing)
    knownSecret.withLock { $0 = nil }
    endWatches(.unknownDevice)
  }

  /// Ends the calls under way.
  func endCalls() { grant.revoke(.unknownDevice) }

  /// The device's position in the account's feed.
  package var progress: DeviceProgress { currentProgress.withLock { $0 } }

  /// Updates the device's position. True if it changed. A device that was restored from a backup
  /// may acknowledge less than before. `toldSequence` never decreases, because two responses may be
  /// prepared concurrently.
  func moves(told: UInt64?, acknowledged: UInt64?) -> Bool {
    currentProgress.withLock { current in
      let before = current
      if let told { current.toldSequence = max(told, current.toldSequence) }
      if let acknowledged { current.acknowledgedSequence = acknowledged }
      return current != before
    }
  }

  /// Forgets the position, which is one of another history.
  func forgetProgress() { currentProgress.withLock { $0 = DeviceProgress() } }

  /// Records the device's clock.
  func note(clock device: WallTime, at now: WallTime) {
    let (offset, overflow) = device.milliseconds.subtractingReportingOverflow(now.milliseconds)
    guard !overflow else { return }
    clockOffset.withLock { $0 = (offset, now) }
  }

  /// How far the device's clock is ahead of the server's, in milliseconds. Nil if it was not
  /// reported since `horizon`.
  func clockOffset(heardSince horizon: WallTime) -> Int64? {
    clockOffset.withLock { heard in
      heard.flatMap { $0.at >= horizon ? $0.milliseconds : nil }
    }
  }

  /// Claims the reconciliation slot. False if it is taken. One round may read all records, so there
  /// is one slot per device.
  func beginReconcile() -> Bool {
    !isReconciling.exchange(true, ordering: .acquiringAndReleasing)
  }

  func endReconcile() {
    isReconciling.store(false, ordering: .releasing)
  }

  func endWatches(_ status: Status) {
    let ended = watches.withLock { watches in
      defer { watches = [:] }
      return Array(watches.values)
    }
    for watch in ended { watch.end(status) }
  }

  /// Adds a Watch stream. False if the device has too many.
  func add(_ watch: Watch) -> Bool {
    watches.withLock { watches in
      guard watches.count < Self.maxWatches else { return false }
      watches[ObjectIdentifier(watch)] = watch
      return true
    }
  }

  func remove(_ watch: Watch) {
    watches.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(watch)) }
  }
}
