// SPDX-License-Identifier: Apache-2.0
// The Pair calls that wait on this daemon for a decision. Who waits is in the store.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

/// A Pair call. It may end before it is answered, on another thread.
final class PairCall: Sendable {
  let code: PairingCode
  /// Its nonce is needed for the token, which the store does not have.
  let request: PairRequest
  /// The rate-limit keys that its attempt was charged to; see `AttemptLimiter.keys(of:)`.
  let peer: [[UInt8]]
  let answer: Answer
  /// See `WaitingPairCalls.lookCount`.
  fileprivate let lookCount: Int
  fileprivate let hasEnded = Atomic(false)

  /// - Parameter lookCount: `WaitingPairCalls.lookCount`, read before the code is tried.
  init(
    _ code: PairingCode, _ request: PairRequest, from peer: [[UInt8]] = [], lookCount: Int,
    answer: Answer
  ) {
    self.code = code
    self.request = request
    self.peer = peer
    self.lookCount = lookCount
    self.answer = answer
  }
}

/// All waiting calls, at most one per code. Thread-safe.
///
/// Whatever may decide about a device makes its call look at the store again, after the commit. So
/// a call is only ever answered what is stored. Whoever takes a call out of here answers it.
final class WaitingPairCalls: Sendable {
  /// A waiting call, with what tells whether it is concerned.
  struct Entry: Sendable {
    let call: PairCall
    let account: AccountID
    /// The device that made its code.
    let inviter: ReplicaID
    /// When its code expires.
    let expires: WallTime
  }

  private struct State {
    /// Keyed by the code's handle.
    var entries: [String: Entry] = [:]
    var lookCount = 0
  }

  private let state = Mutex(State())

  /// How often waiting calls were searched. A call whose code is tried meanwhile is not found: it
  /// has to look when it is parked.
  var lookCount: Int { state.withLock { $0.lookCount } }

  /// What parking a call did.
  struct Parked {
    /// The call that it replaces.
    let replaced: PairCall?
    /// Whether it may have been decided since its code was tried.
    let hasMissedLook: Bool
  }

  /// Parks a call. One that has ended is not kept.
  func park(_ call: PairCall, with invitation: InvitationEntry) -> Parked {
    state.withLock { state in
      let replaced = state.entries.removeValue(forKey: invitation.handle)?.call
      if !call.hasEnded.load(ordering: .acquiring) {
        state.entries[invitation.handle] = Entry(
          call: call, account: invitation.account, inviter: invitation.inviter ?? .none,
          expires: invitation.expires)
      }
      return Parked(replaced: replaced, hasMissedLook: state.lookCount != call.lookCount)
    }
  }

  /// Records that a call ended without an answer. Its device keeps waiting and can call again.
  func callEnded(_ call: PairCall) {
    call.hasEnded.store(true, ordering: .releasing)
    _ = take(call)
  }

  /// The calls that are concerned.
  func calls(where isConcerned: (Entry) -> Bool) -> [PairCall] {
    state.withLock { state in
      state.lookCount &+= 1
      return state.entries.values.filter(isConcerned).map(\.call)
    }
  }

  /// Whether a call waits.
  func contains(_ call: PairCall) -> Bool {
    state.withLock { $0.entries[call.code.handle]?.call === call }
  }

  /// Takes a call out, to answer it.
  ///
  /// - Returns: False if it does not wait any more.
  func take(_ call: PairCall) -> Bool {
    state.withLock { state in
      guard state.entries[call.code.handle]?.call === call else { return false }
      state.entries[call.code.handle] = nil
      return true
    }
  }

  /// Takes all calls out.
  func takeAll() -> [PairCall] {
    state.withLock { state in
      defer { state.entries = [:] }
      return state.entries.values.map(\.call)
    }
  }
}
