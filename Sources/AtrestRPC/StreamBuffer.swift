// SPDX-License-Identifier: Apache-2.0
// Buffers the messages that a stream's reader has not taken yet.

import AtrestHTTP2
import Synchronization

/// A bounded message buffer. Filled on the shard, drained by one task.
final class StreamBuffer: Sendable {
  enum AddOutcome {
    case taken
    /// The sender must pause until `take` reports `mayResume`.
    case full
  }

  /// The result of `take`.
  struct Taken: Sendable {
    /// A message; nil after OK; or the call's status.
    let result: Result<[UInt8]?, Status>
    /// The sender was paused and may resume.
    let mayResume: Bool
  }

  fileprivate struct State {
    var messages: [[UInt8]] = []
    /// Messages of `messages` already taken. They are dropped in bulk.
    var taken = 0
    var status: Status?
    var isPaused = false
    var reader: CheckedContinuation<Taken, Never>?

    var count: Int { messages.count - taken }
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) {
    self.limit = max(1, limit)
  }

  func add(_ message: [UInt8]) -> AddOutcome {
    let (reader, outcome) = state.withLock {
      state -> (CheckedContinuation<Taken, Never>?, AddOutcome) in
      if let reader = state.reader {
        state.reader = nil
        return (reader, .taken)
      }
      state.messages.append(message)
      guard state.count >= limit, !state.isPaused else { return (nil, .taken) }
      state.isPaused = true
      return (nil, .full)
    }
    reader?.resume(returning: Taken(result: .success(message), mayResume: false))
    return outcome
  }

  /// No message follows. Buffered messages are still delivered, unless the reader cancelled. Only
  /// the first call has an effect.
  func end(_ status: Status) {
    let reader = state.withLock { state -> CheckedContinuation<Taken, Never>? in
      guard state.status == nil else { return nil }
      state.status = status
      if status.code == .cancelled {
        state.messages = []
        state.taken = 0
      }
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: Taken(result: Self.result(of: status), mayResume: false))
  }

  /// Waits for the next message. One reader at a time.
  func take() async -> Taken {
    await withCheckedContinuation { done in
      let ready = state.withLock { state -> Taken? in
        if state.count > 0 {
          let message = state.messages[state.taken]
          state.dropFirst()
          let mayResume = state.isPaused && state.count <= limit / 2
          if mayResume { state.isPaused = false }
          return Taken(result: .success(message), mayResume: mayResume)
        }
        if let status = state.status {
          return Taken(result: Self.result(of: status), mayResume: false)
        }
        precondition(state.reader == nil, "a stream is read by one task")
        state.reader = done
        return nil
      }
      if let ready { done.resume(returning: ready) }
    }
  }

  private static func result(of status: Status) -> Result<[UInt8]?, Status> {
    status.code == .ok ? .success(nil) : .failure(status)
  }
}

extension StreamBuffer.State {
  fileprivate mutating func dropFirst() {
    messages[taken] = []
    taken += 1
    guard taken == messages.count || taken >= 64 else { return }
    messages.removeFirst(taken)
    taken = 0
  }
}
