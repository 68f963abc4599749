// SPDX-License-Identifier: Apache-2.0
// A device as the server knows it in memory: enough to answer who calls, without asking storage.

import AtrestHTTP2
import AtrestLedger
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import Synchronization

/// A device that was paired with an account. One object for the life of the process; revoking marks
/// it, so that whoever holds it sees that at once.
package final class DeviceSession: Sendable {
  /// The device's identity.
  package let replica: ReplicaID
  /// The identity it had before all its renewals; its own if it never renewed itself. They share
  /// storage as one device: anybody may renew himself into as many as he likes.
  let firstIdentity: ReplicaID
  /// Whose device it is.
  package let account: AccountState
  /// What its calls are granted on: they and their connections end with it.
  let grant: CallerGrant
  /// What people call it.
  var name: String { currentName.withLock { $0 } }
  private let currentName: Mutex<String>
  let paired: WallTime
  /// Which device invited it, let it in, or renewed itself into it.
  let origin: DeviceOrigin
  private let tokenHash: [UInt8]
  /// The secret that was last found right, so that the same header costs no hash the next time.
  private let knownSecret = Mutex<[UInt8]?>(nil)
  private let seenMilliseconds: Atomic<Int64>
  private let revokedMilliseconds: Atomic<Int64>
  private let currentProgress: Mutex<DeviceProgress>
  private let isReconciling = Atomic(false)
  /// By how much its clock was ahead of the server's at its last call that said so, and when that
  /// was; both in milliseconds.
  private let clockOffset = Mutex<(milliseconds: Int64, at: WallTime)?>(nil)
  private let watches = Mutex<[ObjectIdentifier: Watch]>([:])

  /// Watch streams one device may have open: one, and those its lost connections still seem to
  /// hold.
  static let maxWatches = 8
  /// How often at most a device's time of last call is noted, in milliseconds.
  static let seenGrainMilliseconds: Int64 = 60_000

  init(_ device: DeviceEntry, first firstIdentity: ReplicaID, account: AccountState) {
    replica = device.replica
    self.firstIdentity = firstIdentity
    self.account = account
    grant = CallerGrant(payer: Holder(under: account.payer))
    currentName = Mutex(device.name)
    paired = device.paired
    origin = device.origin
    tokenHash = device.tokenHash
    seenMilliseconds = Atomic(device.seen?.milliseconds ?? 0)
    currentProgress = Mutex(device.progress)
    revokedMilliseconds = Atomic(device.revoked?.milliseconds ?? 0)
  }

  /// Whether its access has ended.
  package var isRevoked: Bool { revokedMilliseconds.load(ordering: .acquiring) != 0 }

  /// Whether the secret is this device's. Constant time; a hash the first time.
  func accepts(_ secret: [UInt8]) -> Bool {
    let isKnown = knownSecret.withLock { known in
      known.map { Secret.areEqual($0, secret) } ?? false
    }
    if isKnown { return true }
    guard Secret.areEqual(Secret.hash(secret), tokenHash) else { return false }
    knownSecret.withLock { $0 = secret }
    return true
  }

  /// Notes a call; true if that is news worth writing down.
  func touch(at now: WallTime) -> Bool {
    let seen = seenMilliseconds.load(ordering: .relaxed)
    let (due, overflow) = seen.addingReportingOverflow(Self.seenGrainMilliseconds)
    guard !overflow, now.milliseconds >= due else { return false }
    return seenMilliseconds.compareExchange(
      expected: seen, desired: now.milliseconds, ordering: .relaxed
    ).exchanged
  }

  /// Notes what it is called from now on.
  func rename(to name: String) {
    currentName.withLock { $0 = name }
  }

  /// Ends the device's access and its streams.
  func revoke(at now: WallTime) {
    // Zero stands for "not revoked".
    _ = revokedMilliseconds.compareExchange(
      expected: 0, desired: max(1, now.milliseconds), ordering: .acquiringAndReleasing)
    knownSecret.withLock { $0 = nil }
    endWatches(.unknownDevice)
    grant.revoke(.unknownDevice)
  }

  /// Where it is in the account's feed.
  package var progress: DeviceProgress { currentProgress.withLock { $0 } }

  /// Notes where it is, as far as that is known; true if that is news. A device that was put back
  /// from a copy holds less than it did; what it was told only grows, though two answers may be
  /// made at once.
  func moves(told: UInt64?, acknowledged: UInt64?) -> Bool {
    currentProgress.withLock { current in
      let before = current
      if let told { current.toldSequence = max(told, current.toldSequence) }
      if let acknowledged { current.acknowledgedSequence = acknowledged }
      return current != before
    }
  }

  /// Notes what its clock showed.
  func note(clock device: WallTime, at now: WallTime) {
    let (offset, overflow) = device.milliseconds.subtractingReportingOverflow(now.milliseconds)
    guard !overflow else { return }
    clockOffset.withLock { $0 = (offset, now) }
  }

  /// By how much its clock is ahead of the server's, in milliseconds; nil if it has not said so
  /// since.
  func clockOffset(heardSince horizon: WallTime) -> Int64? {
    clockOffset.withLock { heard in
      heard.flatMap { $0.at >= horizon ? $0.milliseconds : nil }
    }
  }

  /// Begins a comparison; false if one is under way: they may read all there is.
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

  /// False if the device has as many streams as it may.
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

  /// The device as lists show it.
  func device(isCurrent: Bool) -> Device {
    let seen = seenMilliseconds.load(ordering: .relaxed)
    let revoked = revokedMilliseconds.load(ordering: .relaxed)
    return Device(
      replica: replica, name: name, paired: paired,
      seen: seen == 0 ? nil : WallTime(milliseconds: seen),
      revoked: revoked == 0 ? nil : WallTime(milliseconds: revoked), isCurrent: isCurrent,
      origin: origin)
  }
}
