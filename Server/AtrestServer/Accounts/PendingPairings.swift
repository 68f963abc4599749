// SPDX-License-Identifier: Apache-2.0
// Who has the right code and waits to be let in. In memory only: after a restart pending devices
// call again.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import Synchronization

/// A device that has the right code of an account, as a decision needs it.
struct PendingPairing: Sendable {
  /// Names it for whoever decides.
  let handle: UInt64
  /// The handle of its code, and the hash of the code's secret.
  let code: String
  let secretHash: [UInt8]
  let account: AccountID
  let inviter: ReplicaID
  /// What it asked to be called.
  let name: String
  /// What it shows, and whoever decides is shown.
  let digits: String
  /// The secret of the token that it gets.
  let secret: [UInt8]
  let since: WallTime
  let expires: WallTime
}

/// The call of a pending device. It may end before it is answered, on another thread.
final class PairCall: Sendable {
  let answer: Answer
  /// Where its try was counted; see `AttemptLimiter.keys(of:)`.
  let peer: [[UInt8]]
  fileprivate let hasEnded = Atomic(false)

  init(peer: [[UInt8]] = [], answer: Answer) {
    self.peer = peer
    self.answer = answer
  }
}

/// All pending devices that wait, one for each code at most, so there are no more of them than
/// codes. Thread-safe.
///
/// What is decided is decided by storage: see `Pairing.decide`. Whatever ends a pending device here
/// runs on the storage queue, after the commit that decided it, so that a pending device is told
/// what is stored and nothing else.
final class PendingPairings: Sendable {
  private struct Place {
    let pendingDevice: PendingPairing
    /// Nil while nobody listens: the caller can come back for its answer.
    var call: PairCall?
  }

  /// By the handle of the code.
  private let places = Mutex<[String: Place]>([:])

  /// Who waits for an account, in the order they came.
  func pendingDevices(of account: AccountID, at now: WallTime) -> [PendingPairing] {
    let ends = Pairing.openEnds(at: now)
    let waiting = places.withLock { places in
      places.values.filter {
        $0.pendingDevice.account == account && ends.contains($0.pendingDevice.expires)
      }.map(\.pendingDevice)
    }
    return waiting.sorted { ($0.since, $0.code) < ($1.since, $1.code) }
  }

  /// The pending device that is named so, or nil.
  func pendingDevice(_ handle: UInt64, of account: AccountID) -> PendingPairing? {
    places.withLock { places in
      places.values.first {
        $0.pendingDevice.handle == handle && $0.pendingDevice.account == account
      }?.pendingDevice
    }
  }

  /// What became of a call that has the right code.
  enum Parking {
    /// It waits. With it the call in whose place it does, if there is one, and whether nobody
    /// waited with the code before.
    case waits(insteadOf: PairCall?, isNew: Bool)
    /// The code is bound to somebody else.
    case bound
  }

  /// Has a call wait, as the pending device that its code is bound to from then on. A pending
  /// device that comes again keeps its name and its handle.
  func park(_ pendingDevice: PendingPairing, _ call: PairCall) -> Parking {
    places.withLock { places in
      var place = Place(pendingDevice: pendingDevice)
      var isNew = true
      if let known = places[pendingDevice.code] {
        if Secret.areEqual(known.pendingDevice.secretHash, pendingDevice.secretHash) {
          guard Secret.areEqual(known.pendingDevice.secret, pendingDevice.secret) else {
            return .bound
          }
          place = known
          isNew = false
        }
        // Otherwise that code has ended, and another one has its handle: nobody can be let in by it
        // any more.
      }
      let old = places[pendingDevice.code]?.call
      place.call = call.hasEnded.load(ordering: .acquiring) ? nil : call
      places[pendingDevice.code] = place
      return .waits(insteadOf: old, isNew: isNew)
    }
  }

  /// A call has ended without an answer from here. Its pending device goes on waiting: it can call
  /// again.
  func callEnded(_ call: PairCall) {
    call.hasEnded.store(true, ordering: .releasing)
    places.withLock { places in
      guard let code = places.first(where: { $0.value.call === call })?.key else { return }
      places[code]?.call = nil
    }
  }

  /// Takes the pending device that is named so out.
  ///
  /// - Returns: The call that waits for the answer; nil if none does.
  func remove(_ handle: UInt64) -> PairCall? {
    remove { $0.handle == handle }.first
  }

  /// Takes pending devices out.
  ///
  /// - Returns: The calls that wait for an answer.
  func remove(where isEnded: (PendingPairing) -> Bool) -> [PairCall] {
    places.withLock { places in
      let ended = places.filter { isEnded($0.value.pendingDevice) }
      for code in ended.keys { places[code] = nil }
      return ended.values.compactMap(\.call)
    }
  }
}
