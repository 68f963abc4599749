// SPDX-License-Identifier: Apache-2.0
// Completes a unary call from whatever thread has its answer.

import DispatchNet
import Synchronization
import Transport

/// Answers one call, once, from any thread. Let go without an answer, it fails the call INTERNAL, so
/// that no mistake leaves a caller waiting.
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

  /// Whether somebody waits for the answer: false once the call ended without it, because its caller gave
  /// up, its deadline passed or its connection is gone. What nobody waits for need not be computed.
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

/// Answers to many calls, delivered with one hop per shard: for work that completes in batches, such
/// as a group commit.
public struct ResponseBatch: ~Copyable {
  private var perShard: [(shard: Shard, answers: [(Responder, UnaryOutcome)])] = []

  /// An empty batch.
  public init() {}

  /// Adds an answer; nothing is sent before `deliver`.
  public mutating func add(_ responder: Responder, _ outcome: UnaryOutcome) {
    guard responder.claim() else { return }
    // A process has a handful of shards: a scan beats a dictionary.
    if let index = perShard.firstIndex(where: { $0.shard === responder.shard }) {
      perShard[index].answers.append((responder, outcome))
    } else {
      perShard.append((responder.shard, [(responder, outcome)]))
    }
  }

  /// Sends all answers.
  public consuming func deliver() {
    for (shard, answers) in perShard {
      shard.async {
        for (responder, outcome) in answers { responder.finish(outcome) }
      }
    }
  }
}

extension Status {
  static let abandoned = Status(.internal, "The server lost track of this call. Try again.")
}
