// SPDX-License-Identifier: Apache-2.0
// Completes a unary call from any thread.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// Completes one call, once, from any thread. Releasing it without an answer fails the call with
/// INTERNAL, so a bug cannot leave a caller waiting.
///
/// Answers posted together cost one hop to the shard and one write: see `Shard.async`. Use
/// `ResponseBatch` for many answers at once.
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

  /// The shard of the call.
  public var shard: Shard { call.shard }

  /// False once the call ended unanswered: it was cancelled, its deadline passed, or its connection
  /// was lost. The answer then need not be computed.
  public var isAwaited: Bool { !hasEnded.load(ordering: .relaxed) }

  /// Sends the reply with OK. Ignored if the call was answered or has ended.
  public func reply(_ message: [UInt8]) { complete(.reply(message)) }

  /// Fails the call. Ignored if the call was answered or has ended.
  public func fail(_ status: Status) { complete(.fail(status)) }

  private func complete(_ outcome: UnaryOutcome) {
    guard claim() else { return }
    let call = call
    shard.async { call.value.finish(outcome) }
  }

  /// True only for the first answer.
  func claim() -> Bool {
    !isDone.exchange(true, ordering: .relaxed)
  }

  /// Completes the call. Only on the shard, after `claim`.
  func finish(_ outcome: UnaryOutcome) { call.value.finish(outcome) }
}

extension Status {
  static let abandoned = Status(.internal, "The server lost track of this call. Try again.")
}
