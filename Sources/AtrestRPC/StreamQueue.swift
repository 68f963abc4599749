// SPDX-License-Identifier: Apache-2.0
// Decides what waits between the threads that write a stream and the shard that sends it.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import Synchronization

/// Where a queue's messages go: one call, used on its shard.
protocol StreamQueueTarget: AnyObject {
  func send(_ message: [UInt8]) -> SendResult
  /// No message follows. A client has no status to give.
  func endStream(_ status: Status)
}

/// Shared by a writer (any thread) and its call (its shard).
final class StreamQueue: Sendable {
  private let call: ShardBound<any StreamQueueTarget>
  private let maxBytes: Int
  private let maxMessages: Int
  private let state: Mutex<StreamQueueState>

  /// - Parameters:
  ///   - maxBytes: Beyond it, or `maxMessages`, the reader counts as too slow. One message is
  ///     always taken, or a large one could never be sent.
  ///   - isBlocked: Nothing is sent before ``writable()``.
  ///   - charge: What books the messages.
  init(
    _ call: ShardBound<any StreamQueueTarget>, maxBytes: Int, maxMessages: Int,
    isBlocked: Bool = false,
    charge: consuming Charge
  ) {
    state = Mutex(StreamQueueState(isBlocked: isBlocked, charge: charge))
    self.call = call
    self.maxBytes = maxBytes
    self.maxMessages = maxMessages
  }

  var shard: Shard { call.shard }
  var isOpen: Bool { state.withLock { $0.isOpen } }

  // MARK: Any thread

  func send(_ message: [UInt8]) -> StreamWriter.SendOutcome {
    let (outcome, mustPump) = state.withLock { state -> (StreamWriter.SendOutcome, Bool) in
      guard state.isOpen else { return (.closed, false) }
      guard state.hasRoom(for: message, maxBytes: maxBytes, maxMessages: maxMessages) else {
        return (.slowReader, state.cut())
      }
      state.append(message)
      return (.queued, state.schedule())
    }
    if mustPump { startPump() }
    return outcome
  }

  func finish(_ status: Status) {
    // Actions may hold the last reference to the writer, whose end comes back here: they are let go
    // of outside the lock.
    let (mustPump, dropped) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
      guard state.isOpen else { return (false, []) }
      state.life = .finishing(status)
      return (state.schedule(), state.takeCancelActions())
    }
    withExtendedLifetime(dropped) {
      if mustPump { startPump() }
    }
  }

  func onCancel(_ action: @escaping @Sendable () -> Void) {
    let runsNow = state.withLock { state in
      switch state.life {
      case .open: state.cancelActions.append(action)
      case .cut, .cancelled: return true
      case .finishing, .ended: break
      }
      return false
    }
    if runsNow { action() }
  }

  func whenReady(_ action: @escaping @Sendable () -> Void) {
    let runsNow = state.withLock { state in
      if state.count == 0 || !state.isOpen { return true }
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

  /// There is room for more.
  func writable() {
    state.withLock { if case .blocked = $0.pump { $0.pump = .idle } }
    pump()
  }

  /// The call ended before it was finished here.
  func ended() {
    let actions = state.withLock { state in
      state.dropQueue()
      switch state.life {
      case .open, .cut, .cancelled: state.life = .cancelled
      case .finishing, .ended: state.life = .ended
      }
      return state.takeCancelActions() + state.takeReadyActions()
    }
    for action in actions { action() }
  }

  /// Ends the call now, whatever is queued here.
  func fail(_ status: Status) {
    let (dropped, ready) = state.withLock { state in
      state.life = .ended
      state.dropQueue()
      return (state.takeCancelActions(), state.takeReadyActions())
    }
    withExtendedLifetime(dropped) { call.value.endStream(status) }
    for action in ready { action() }
  }

  private func pump() {
    let call = call.value
    state.withLock { if case .scheduled = $0.pump { $0.pump = .idle } }
    while true {
      switch state.withLock({ $0.next() }) {
      case .wait:
        return
      case .end(let status):
        let actions = state.withLock { $0.takeCancelActions() + $0.takeReadyActions() }
        call.endStream(status)
        // Only a reader cut for slowness has left any.
        for action in actions { action() }
        return
      case .message(let message):
        switch call.send(message) {
        case .queued:
          let ready = state.withLock { state in
            state.dropFirst(message.count)
            return state.count == 0 ? state.takeReadyActions() : []
          }
          for action in ready { action() }
        case .queueFull:
          state.withLock { $0.pump = .blocked }
          return
        case .gone:
          return  // `ended` follows, or has been.
        }
      }
    }
  }
}

/// What a queue's lock guards.
private struct StreamQueueState: ~Copyable {
  enum Life {
    case open
    /// The status follows what is queued.
    case finishing(Status)
    /// The reader was too slow: the call ends, and that counts as a cancellation.
    case cut
    case ended
    case cancelled
  }

  enum Pump {
    case idle
    /// On its way to the shard.
    case scheduled
    /// The connection's queue is full; `writable` will follow.
    case blocked
  }

  enum Step {
    case message([UInt8])
    case end(Status)
    case wait
  }

  var life = Life.open
  var pump: Pump
  var cancelActions: [@Sendable () -> Void] = []
  /// Run once, when the queue is empty or the call is over.
  var readyActions: [@Sendable () -> Void] = []
  private var queue: [[UInt8]] = []
  /// Messages of `queue` already taken; they are dropped in bulk.
  private var taken = 0
  private var charge: Charge

  init(isBlocked: Bool, charge: consuming Charge) {
    pump = isBlocked ? .blocked : .idle
    self.charge = charge
  }

  var count: Int { queue.count - taken }

  var isOpen: Bool {
    if case .open = life { return true }
    return false
  }

  func hasRoom(for message: [UInt8], maxBytes: Int, maxMessages: Int) -> Bool {
    count == 0 || (charge.bytes + message.count <= maxBytes && count < maxMessages)
  }

  mutating func append(_ message: [UInt8]) {
    queue.append(message)
    charge.change(to: charge.bytes + message.count)
  }

  /// Ends the stream for its slow reader.
  /// - Returns: Whether a pump must be started.
  mutating func cut() -> Bool {
    dropQueue()
    life = .cut
    if case .blocked = pump { pump = .idle }
    return schedule()
  }

  /// - Returns: Whether a pump must be started.
  mutating func schedule() -> Bool {
    guard case .idle = pump else { return false }
    pump = .scheduled
    return true
  }

  /// What the pump is to do. The message stays until `dropFirst`.
  mutating func next() -> Step {
    if case .blocked = pump { return .wait }
    switch life {
    case .ended, .cancelled:
      return .wait
    case .open:
      return count > 0 ? .message(queue[taken]) : .wait
    case .finishing(let status):
      if count > 0 { return .message(queue[taken]) }
      life = .ended
      return .end(status)
    case .cut:
      life = .cancelled
      return .end(.slowReader)
    }
  }

  mutating func dropQueue() {
    queue = []
    taken = 0
    charge.change(to: 0)
  }

  mutating func dropFirst(_ size: Int) {
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

  mutating func takeCancelActions() -> [@Sendable () -> Void] {
    defer { cancelActions = [] }
    return cancelActions
  }

  mutating func takeReadyActions() -> [@Sendable () -> Void] {
    defer { readyActions = [] }
    return readyActions
  }
}
