// SPDX-License-Identifier: Apache-2.0
// The queue between the threads that write a stream and the shard that sends it.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import Synchronization

/// Shared by a `StreamWriter` (any thread) and the call (its shard).
final class StreamCore: Sendable {
  fileprivate struct State: ~Copyable {
    var queue: [[UInt8]] = []
    /// Messages of `queue` already taken; they are dropped in bulk.
    var taken = 0
    /// What they hold.
    var charge: Charge
    /// Set by `finish`, and when the reader was too slow.
    var status: Status?
    /// Nothing more can be sent: the call has ended.
    var isOver = false
    var wasCancelled = false
    /// A pump is on its way to the shard.
    var isScheduled = false
    /// The connection's queue is full; `writable` will follow.
    var isBlocked = false
    var cancelActions: [@Sendable () -> Void] = []
    /// Run once, when the queue is empty or the call is over.
    var readyActions: [@Sendable () -> Void] = []

    var count: Int { queue.count - taken }
  }

  private enum Step {
    case message([UInt8])
    case end(Status)
    case wait
  }

  private let call: ShardBound<CallState>
  private let maxBytes: Int
  private let maxMessages: Int
  private let state: Mutex<State>

  /// On the call's shard.
  init(_ call: CallState) {
    let context = call.connection.context
    state = Mutex(State(charge: Charge(at: call.connection.holder, by: call.payer)))
    self.call = ShardBound(call, to: context.shard)
    maxBytes = context.configuration.streamWriterBytes
    maxMessages = context.configuration.streamWriterMessages
  }

  var shard: Shard { call.shard }
  var isOpen: Bool { state.withLock { !$0.isOver && $0.status == nil } }

  // MARK: Any thread

  func send(_ message: [UInt8]) -> StreamWriter.SendOutcome {
    let (outcome, mustPump) = state.withLock {
      state -> (StreamWriter.SendOutcome, Bool) in
      guard !state.isOver, state.status == nil else { return (.closed, false) }
      // One message is always taken, or a large one could never be sent.
      if state.count > 0,
        state.charge.bytes + message.count > maxBytes || state.count >= maxMessages
      {
        state.dropQueue()
        state.status = .slowReader
        state.wasCancelled = true
        state.isBlocked = false
        return (.slowReader, state.schedule())
      }
      state.queue.append(message)
      state.charge.change(to: state.charge.bytes + message.count)
      return (.queued, state.schedule())
    }
    if mustPump { startPump() }
    return outcome
  }

  func finish(_ status: Status) {
    // Actions may hold the last reference to the writer, whose end comes back here: they are let go
    // of outside the lock.
    let (mustPump, forgotten) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
      guard !state.isOver, state.status == nil else { return (false, []) }
      state.status = status
      return (state.schedule(), state.takeActions())
    }
    withExtendedLifetime(forgotten) {
      if mustPump { startPump() }
    }
  }

  func onCancel(_ action: @escaping @Sendable () -> Void) {
    let runsNow = state.withLock { state in
      guard !state.wasCancelled else { return true }
      if state.status == nil, !state.isOver { state.cancelActions.append(action) }
      return false
    }
    if runsNow { action() }
  }

  func whenReady(_ action: @escaping @Sendable () -> Void) {
    let runsNow = state.withLock { state in
      if state.count == 0 || state.isOver || state.status != nil { return true }
      state.readyActions.append(action)
      return false
    }
    if runsNow { action() }
  }

  private func startPump() {
    // On the shard already: the message joins this turn's write.
    if shard.isCurrent {
      pump()
    } else {
      shard.async { self.pump() }
    }
  }

  // MARK: On the shard

  func writable() {
    state.withLock { $0.isBlocked = false }
    pump()
  }

  /// The call ended before it was finished here.
  func ended() {
    let actions = state.withLock { state in
      state.isOver = true
      state.dropQueue()
      state.wasCancelled = state.wasCancelled || state.status == nil
      return state.takeActions() + state.takeReadyActions()
    }
    for action in actions { action() }
  }

  /// Ends the call now, whatever is queued here.
  func fail(_ status: Status) {
    let (forgotten, ready) = state.withLock { state in
      state.isOver = true
      state.dropQueue()
      return (state.takeActions(), state.takeReadyActions())
    }
    withExtendedLifetime(forgotten) { call.value.finish(status) }
    for action in ready { action() }
  }

  private func pump() {
    let call = call.value
    state.withLock { $0.isScheduled = false }
    while true {
      let step = state.withLock { state -> Step in
        guard !state.isOver, !state.isBlocked else { return .wait }
        if state.count > 0 { return .message(state.queue[state.taken]) }
        guard let status = state.status else { return .wait }
        state.isOver = true
        return .end(status)
      }
      switch step {
      case .wait:
        return
      case .end(let status):
        let actions = state.withLock { $0.takeActions() + $0.takeReadyActions() }
        call.finish(status)
        // Only a reader cut for slowness has left any.
        for action in actions { action() }
        return
      case .message(let message):
        switch call.connection.send(message, on: call.id) {
        case .queued:
          let ready = state.withLock { state in
            state.dropFirst(message.count)
            return state.count == 0 ? state.takeReadyActions() : []
          }
          for action in ready { action() }
        case .queueFull:
          state.withLock { $0.isBlocked = true }
          return
        case .gone:
          return  // `ended` follows, or has been.
        }
      }
    }
  }
}

extension StreamCore.State {
  /// True if a pump must be started.
  fileprivate mutating func schedule() -> Bool {
    guard !isScheduled, !isBlocked else { return false }
    isScheduled = true
    return true
  }

  fileprivate mutating func dropQueue() {
    queue = []
    taken = 0
    charge.change(to: 0)
  }

  fileprivate mutating func dropFirst(_ size: Int) {
    // The queue may have been dropped while the message was being sent.
    guard count > 0 else { return }
    queue[taken] = []
    taken += 1
    charge.change(to: charge.bytes - size)
    if taken == queue.count {
      queue.removeAll(keepingCapacity: true)
      taken = 0
    } else if taken >= 64, taken * 2 >= queue.count {
      queue.removeFirst(taken)
      taken = 0
    }
  }

  fileprivate mutating func takeActions() -> [@Sendable () -> Void] {
    defer { cancelActions = [] }
    return cancelActions
  }

  fileprivate mutating func takeReadyActions() -> [@Sendable () -> Void] {
    defer { readyActions = [] }
    return readyActions
  }
}
