// SPDX-License-Identifier: Apache-2.0
// Queues messages between the threads that write a stream and the shard that sends it.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import Synchronization

/// The call that sends a queue's messages. Used on its shard.
protocol StreamQueueTarget: AnyObject {
  func send(_ message: [UInt8], _ compression: MessageCompression?) -> SendResult
  /// Ends the stream. Clients send no status.
  func endStream(_ status: Status)
}

/// A bounded message queue, shared by a writer (any thread) and its call (on its shard).
final class StreamQueue: Sendable {
  private let call: ShardBound<any StreamQueueTarget>
  private let maxBytes: Int
  private let maxMessages: Int
  private let state: Mutex<StreamQueueState>

  /// - Parameters:
  ///   - maxBytes: Above this or `maxMessages`, the reader counts as too slow. An empty queue
  ///     accepts a message of any size.
  ///   - isBlocked: Whether to send nothing before ``writable()``.
  ///   - charge: Charged for the queued messages.
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
  /// Whether messages wait.
  var isWaiting: Bool { state.withLock { $0.isOpen && $0.count > 0 } }

  // MARK: Any thread

  func send(
    _ message: [UInt8], _ compression: MessageCompression? = nil
  ) -> StreamWriter.SendOutcome {
    let (outcome, mustPump) = state.withLock { state -> (StreamWriter.SendOutcome, Bool) in
      guard state.isOpen else { return (.closed, false) }
      guard state.hasRoom(for: message, maxBytes: maxBytes, maxMessages: maxMessages) else {
        return (.slowReader, state.cut())
      }
      state.append(message, compression)
      return (.queued, state.schedule())
    }
    if mustPump { startPump() }
    return outcome
  }

  func finish(_ status: Status) {
    // Released outside the lock: an action may hold the last reference to the writer, whose
    // `deinit` re-enters.
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
    // Already on the shard: the message joins this turn's write.
    if shard.isCurrent {
      pump()
    } else {
      shard.async { self.pump() }
    }
  }

  // MARK: On the shard

  /// The connection's queue has space again.
  func writable() {
    state.withLock { if case .blocked = $0.pump { $0.pump = .idle } }
    pump()
  }

  /// The call ended before `finish`.
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

  /// Ends the call now and drops the queue.
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
        // Only a stream cut for a slow reader has any left.
        for action in actions { action() }
        return
      case .message(let message, let compression):
        switch call.send(message, compression) {
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
          return  // `ended` follows, or was called.
        }
      }
    }
  }
}

/// The state guarded by a queue's lock.
private struct StreamQueueState: ~Copyable {
  enum Life {
    case open
    /// The status follows the queued messages.
    case finishing(Status)
    /// The reader was too slow: the call ends, which counts as a cancellation.
    case cut
    case ended
    case cancelled
  }

  enum Pump {
    case idle
    /// A pump is posted to the shard.
    case scheduled
    /// The connection's queue is full; `writable` follows.
    case blocked
  }

  enum Step {
    case message([UInt8], MessageCompression?)
    case end(Status)
    case wait
  }

  var life = Life.open
  var pump: Pump
  var cancelActions: [@Sendable () -> Void] = []
  /// Run once, when the queue is empty or the call is over.
  var readyActions: [@Sendable () -> Void] = []
  private var queue: [(message: [UInt8], compression: MessageCompression?)] = []
  /// Messages of `queue` already taken. They are dropped in bulk.
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

  mutating func append(_ message: [UInt8], _ compression: MessageCompression?) {
    queue.append((message, compression))
    charge.change(to: charge.bytes + message.count)
  }

  /// Ends the stream because its reader is too slow.
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

  /// The pump's next step. The message stays queued until `dropFirst`.
  mutating func next() -> Step {
    if case .blocked = pump { return .wait }
    switch life {
    case .ended, .cancelled:
      return .wait
    case .open:
      return count > 0 ? .message(queue[taken].message, queue[taken].compression) : .wait
    case .finishing(let status):
      if count > 0 { return .message(queue[taken].message, queue[taken].compression) }
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
    queue[taken].message = []
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
