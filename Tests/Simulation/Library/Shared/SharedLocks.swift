// SPDX-License-Identifier: Apache-2.0
// Who may go on, and who waits for whose transaction: the locks of rows and of keys.

import AtrestReplication
import AtrestServer

/// What one transaction at a time can hold: the row of an account, or a key that several may write.
enum SharedLock: Hashable {
  case account(AccountID)
  case name(String)
  case replica(ReplicaID)
  case invitation(String)
  case purchase(PurchaseKey)
}

/// Locks, each with those that wait for it in order of arrival.
struct SharedLocks {
  struct Waiter {
    let session: SharedSession
    /// Called with the lock held.
    let go: () -> Void
  }

  private var holders: [SharedLock: SharedSession] = [:]
  private var queues: [SharedLock: [Waiter]] = [:]

  enum Outcome { case granted, waits, deadlock }

  mutating func take(
    _ lock: SharedLock, for session: SharedSession, _ go: @escaping () -> Void
  ) -> Outcome {
    guard let holder = holders[lock], holder !== session else {
      if holders[lock] == nil {
        holders[lock] = session
        session.held.append(lock)
      }
      return .granted
    }
    var next: SharedSession? = holder
    while let other = next, let lock = other.waitsFor {
      next = holders[lock]
      if next === session { return .deadlock }
    }
    session.waitsFor = lock
    queues[lock, default: []].append(Waiter(session: session, go: go))
    return .waits
  }

  /// Frees what a session holds, and gives each lock to who waits the longest.
  ///
  /// - Returns: What goes on now.
  mutating func release(_ session: SharedSession) -> [() -> Void] {
    if let lock = session.waitsFor { queues[lock]?.removeAll { $0.session === session } }
    session.waitsFor = nil
    var going: [() -> Void] = []
    for lock in session.held {
      guard var queue = queues[lock], !queue.isEmpty else {
        holders[lock] = nil
        queues[lock] = nil
        continue
      }
      let first = queue.removeFirst()
      queues[lock] = queue
      holders[lock] = first.session
      first.session.held.append(lock)
      first.session.waitsFor = nil
      going.append(first.go)
    }
    session.held = []
    return going
  }
}

extension StagedChanges {
  /// The keys that other transactions may write though they hold no lock on the account, in the
  /// order of the statements.
  var contested: [SharedLock] {
    let names = addedAccounts.values.map(\.name).sorted().map { SharedLock.name($0) }
    let replicas = addedDevices.keys.sorted { $0.rawValue < $1.rawValue }
      .map { SharedLock.replica($0) }
    let handles = removedInvitations.union(addedInvitations.keys).union(changedInvitations.keys)
    let purchases = holders.keys.sorted {
      ($0.environment, $0.original) < ($1.environment, $1.original)
    }
    return names + replicas + handles.sorted().map { .invitation($0) }
      + purchases.map { .purchase($0) }
  }
}
