// SPDX-License-Identifier: Apache-2.0
// Completes a unary call from whatever thread has its answer.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// Answers one call, once, from any thread. Let go without an answer, it fails the call INTERNAL,
/// so that no mistake leaves a caller waiting.
///
/// Answers posted together cost one hop to the shard and one write: see `Shard.async`. Use
/// `ResponseBatch` when many are at hand at once.
public final class Responder: Sendable {
  private let call: ShardBound<CallState>
  private let isDone = Atomic(false)
  private let hasEnded = Atomic(false)

  init(_ state: CallState) {
    call = ShardBound(state, to: state.connection.shard)
    state.onCancel { [weak self] in self?.hasEnded.store(true, ordering: .relaxed) }
  }

  deinit {
    guard !isDone.load(ordering: .relaxed) else { return }
    let call = call
    call.shard.async { call.value.finish(.fail(.abandoned)) }
  }

  /// The shard the call lives on.
  public var shard: Shard { call.shard }

  /// Whether somebody waits for the answer: false once the call ended without it, because its
  /// caller gave up, its deadline passed or its connection is gone. What nobody waits for need not
  /// be computed.
  public var isAwaited: Bool { !hasEnded.load(ordering: .relaxed) }

  /// Sends the reply, and OK. Ignored if the call was answered or has ended.
  public func reply(_ message: [UInt8]) { complete(.reply(message)) }

  /// Fails the call. Ignored if the call was answered or has ended.
  public func fail(_ status: Status) { complete(.fail(status)) }

  private func complete(_ outcome: UnaryOutcome) {
    guard claim() else { return }
    let call = call
    shard.async { call.value.finish(outcome) }
  }

  /// True for the first answer only.
  func claim() -> Bool {
    !isDone.exchange(true, ordering: .relaxed)
  }

  /// On the shard, after `claim`.
  func finish(_ outcome: UnaryOutcome) { call.value.finish(outcome) }
}

extension Status {
  static let abandoned = Status(.internal, "The server lost track of this call. Try again.")
}
