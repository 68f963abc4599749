// SPDX-License-Identifier: Apache-2.0
// The devices that sent the right code and wait for approval. In memory only: after a restart,
// pending devices call again.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

/// A device that sent the right code, with everything that a decision needs.
struct PendingPairing: Sendable {
  /// Identifies it in ResolvePendingDevice.
  let handle: UInt64
  /// The handle of its code, and the hash of the code's secret.
  let code: String
  let secretHash: [UInt8]
  let account: AccountID
  let inviter: ReplicaID
  /// The name that it requested.
  let name: String
  /// The digits that both the device and the approving person see.
  let digits: String
  /// The secret of its future token.
  let secret: [UInt8]
  let since: WallTime
  let expires: WallTime
}

/// The call of a pending device. It may end before it is answered, on another thread.
final class PairCall: Sendable {
  let answer: Answer
  /// The rate-limit keys that its attempt was charged to; see `AttemptLimiter.keys(of:)`.
  let peer: [[UInt8]]
  fileprivate let hasEnded = Atomic(false)

  init(peer: [[UInt8]] = [], answer: Answer) {
    self.peer = peer
    self.answer = answer
  }
}

/// All pending devices, at most one per open code. Thread-safe.
///
/// Decisions are made in storage; see `Pairing.decide`. Whatever removes a pending device runs on
/// the storage queue after the deciding commit. So a pending device only ever receives the stored
/// result.
final class PendingPairings: Sendable {
  private struct Place {
    let pendingDevice: PendingPairing
    /// Nil while no call waits. The device can call again for its answer.
    var call: PairCall?
  }

  /// Keyed by the code's handle.
  private let places = Mutex<[String: Place]>([:])

  /// The pending devices of an account, in order of arrival.
  func pendingDevices(of account: AccountID, at now: WallTime) -> [PendingPairing] {
    let ends = Pairing.openEnds(at: now)
    let waiting = places.withLock { places in
      places.values.filter {
        $0.pendingDevice.account == account && ends.contains($0.pendingDevice.expires)
      }.map(\.pendingDevice)
    }
    return waiting.sorted { ($0.since, $0.code) < ($1.since, $1.code) }
  }

  /// The pending device with this handle, or nil.
  func pendingDevice(_ handle: UInt64, of account: AccountID) -> PendingPairing? {
    places.withLock { places in
      places.values.first {
        $0.pendingDevice.handle == handle && $0.pendingDevice.account == account
      }?.pendingDevice
    }
  }

  /// The outcome for a call that has the right code.
  enum Parking {
    /// It waits. `insteadOf` is the call that it replaces, if any. `isNew` is true if no device
    /// waited with this code before.
    case waits(insteadOf: PairCall?, isNew: Bool)
    /// The code is bound to another device.
    case bound
  }

  /// Parks a call and binds its code to this device. A device that calls again keeps its name and
  /// its handle.
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
        // Otherwise the earlier code has ended and another one has its handle. Its device cannot be
        // approved any more.
      }
      let old = places[pendingDevice.code]?.call
      place.call = call.hasEnded.load(ordering: .acquiring) ? nil : call
      places[pendingDevice.code] = place
      return .waits(insteadOf: old, isNew: isNew)
    }
  }

  /// Records that a call ended without an answer. Its pending device keeps waiting and can call
  /// again.
  func callEnded(_ call: PairCall) {
    call.hasEnded.store(true, ordering: .releasing)
    places.withLock { places in
      guard let code = places.first(where: { $0.value.call === call })?.key else { return }
      places[code]?.call = nil
    }
  }

  /// Removes the pending device with this handle.
  ///
  /// - Returns: The call that waits for the answer, or nil.
  func remove(_ handle: UInt64) -> PairCall? {
    remove { $0.handle == handle }.first
  }

  /// Removes the matching pending devices.
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
