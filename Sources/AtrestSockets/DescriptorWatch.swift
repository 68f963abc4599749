// SPDX-License-Identifier: Apache-2.0
// Tells when a descriptor that a library owns is ready, in the turns of a shard.

import CAtrestEpoll

/// Watches a descriptor that this module neither reads nor closes, such as a database client's.
/// Confined to one shard.
///
/// The shard's own epoll descriptor watches it, for the reason that `Shard` gives. Readiness is
/// level-triggered: an owner that leaves input unread hears of it again in the next turn.
///
/// Cancel a watch before its descriptor can be closed. Where the library may close it in the middle
/// of a call, cancel it before the call, or in the same turn after it: nobody else on the shard can
/// have watched a reused number by then.
package final class DescriptorWatch {
  /// Directions in which a descriptor may be ready.
  package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reading does not block: there is input, its end, or an error to fetch.
    package static let readable = Readiness(rawValue: ATREST_EPOLL_IN)
    /// Writing does not block.
    package static let writable = Readiness(rawValue: ATREST_EPOLL_OUT)
  }

  private enum State {
    case watching(key: UInt64, interest: Readiness)
    case cancelled
  }

  private let shard: Shard
  private let descriptor: CInt
  private var state = State.cancelled
  private let onReady: (Readiness) -> Void
  private let onStop: () -> Void

  /// Begins to watch. Only on the shard, which holds the watch until it is cancelled. Two system
  /// calls in a watch's life, and one for each change of `interest`.
  /// - Parameters:
  ///   - descriptor: An open descriptor that epoll can watch, and that nobody else watches here.
  ///   - onReady: Called in a turn with what is ready. An error or a hang-up counts as both.
  ///   - onStop: Called when the shard stops, after the watch was cancelled.
  /// - Throws: `SocketError` of `.prepare` if the shard has stopped or the kernel refuses.
  package init(
    _ descriptor: CInt, on shard: Shard, for interest: Readiness,
    onReady: @escaping (Readiness) -> Void, onStop: @escaping () -> Void
  ) throws(SocketError) {
    shard.preconditionOnShard()
    self.shard = shard
    self.descriptor = descriptor
    self.onReady = onReady
    self.onStop = onStop
    // The epoll descriptor of a stopped shard is closed, and its number may have been reused.
    guard !shard.isStopped else { throw SocketError(.prepare, reason: "the shard has stopped") }
    let key = try shard.sockets.add(
      .watch(self), descriptor: descriptor, events: interest.rawValue)
    state = .watching(key: key, interest: interest)
  }

  /// Changes what the watch waits for. No effect after `cancel`.
  package func wait(for interest: Readiness) {
    shard.preconditionOnShard()
    guard case .watching(let key, let current) = state, current != interest else { return }
    state = .watching(key: key, interest: interest)
    shard.sockets.modify(key, descriptor: descriptor, events: interest.rawValue)
  }

  /// Ends the watch: `onReady` is not called any more, not even in this turn. Idempotent.
  package func cancel() {
    shard.preconditionOnShard()
    guard case .watching(let key, _) = state else { return }
    state = .cancelled
    shard.sockets.remove(key, descriptor: descriptor)
  }

  func ready(_ events: UInt32) {
    guard case .watching(_, let interest) = state else { return }
    let isBroken = events & (ATREST_EPOLL_ERR | ATREST_EPOLL_HUP) != 0
    onReady(isBroken ? [.readable, .writable] : Readiness(rawValue: events).intersection(interest))
  }

  func shardStops() {
    cancel()
    onStop()
  }
}
