// SPDX-License-Identifier: Apache-2.0
// Delivers the answers of many calls to their shards.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// Answers to many calls, delivered with one hop per shard: for work that completes in batches,
/// such as a group commit.
public struct ResponseBatch: ~Copyable {
  private typealias Answers = [(responder: Responder, outcome: UnaryOutcome)]
  private var perShard: [(shard: Shard, answers: Answers)] = []

  /// How long one batch may occupy a shard's turn. Compressing a page takes some milliseconds, and
  /// a batch may hold many.
  private static let slice: Duration = .milliseconds(2)

  /// Creates an empty batch.
  public init() {}

  /// Adds an answer. Nothing is sent before `deliver`.
  public mutating func add(_ responder: Responder, _ outcome: UnaryOutcome) {
    guard responder.claim() else { return }
    // A process has few shards: a scan beats a dictionary.
    if let index = perShard.firstIndex(where: { $0.shard === responder.shard }) {
      perShard[index].answers.append((responder, outcome))
    } else {
      perShard.append((responder.shard, [(responder, outcome)]))
    }
  }

  /// Sends all answers, one time slice per turn of each shard.
  ///
  /// - Parameter done: Called once, from any thread, when all answers are with their connections.
  public consuming func deliver(_ done: (@Sendable () -> Void)? = nil) {
    guard !perShard.isEmpty else {
      done?()
      return
    }
    let countdown = done.map { Countdown(perShard.count, $0) }
    for (shard, answers) in perShard { Self.deliver(answers[...], on: shard, countdown) }
  }

  private static func deliver(
    _ answers: Answers.SubSequence, on shard: Shard, _ countdown: Countdown?
  ) {
    shard.async {
      let end = MonotonicClock.now().advanced(by: slice)
      var rest = answers
      while let (responder, outcome) = rest.popFirst() {
        responder.finish(outcome)
        if !rest.isEmpty, MonotonicClock.now() >= end {
          return deliver(rest, on: shard, countdown)
        }
      }
      countdown?.signal()
    }
  }
}

/// Calls `done` after `count` signals.
private final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let done: @Sendable () -> Void

  init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.done = done
  }

  func signal() {
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
  }
}
