// SPDX-License-Identifier: Apache-2.0
// One serial queue with its sockets, timers and actors: the server's unit of parallelism.

import AtrestHTTP2
import CAtrestEpoll
import Dispatch
import Glibc
import Synchronization

/// A serial queue that owns sockets, deadlines and, as a `SerialExecutor`, actors.
///
/// Work happens in **turns**: a batch of ready sockets, posted closures or deadlines. `now` is read
/// once per turn, and each connection touched in it is flushed once, at its end.
///
/// One DispatchSource watches a private epoll descriptor with all sockets of the shard. One
/// DispatchSource per socket would be simpler, but on Linux it corrupts memory when peers reset
/// connections (swiftlang/swift-corelibs-libdispatch issues 949 and 833) and costs twice the CPU.
///
/// Executors are unowned: a shard must outlive the actors that run on it.
public final class Shard: SerialExecutor, @unchecked Sendable {
  // Sendable: the members below `inbox` are touched only inside turns, which one serial queue runs
  // one at a time. `preconditionOnShard` traps misuse of the public methods.
  enum Work {
    case job(UnownedJob)
    case block(@Sendable () -> Void)
  }

  struct Inbox {
    var work: [Work] = []
    /// A block that drains the inbox is already posted to the queue.
    var isScheduled = false
  }

  enum Deadline {
    case connection(SocketConnection)
    case action(() -> Void)
  }

  /// A name for logs and debuggers.
  public let label: String
  let queue: DispatchQueue
  let inbox = Mutex(Inbox())
  /// The thread inside a turn; 0 between turns. Only that thread can find its own ID here.
  private let turnThread = Atomic<UInt>(0)

  let sockets: SocketTable
  private let socketSource: any DispatchSourceRead
  private let timerSource: any DispatchSourceTimer
  private var currentInstant: Instant
  private var deadlines = DeadlineHeap<Deadline>()
  private var timerIsSetFor: Instant?
  private var touched: [SocketConnection] = []
  private var flushNextTurn: [SocketConnection] = []
  private var spareWork: [Work] = []
  private(set) var isStopped = false
  private let end = OneShotEvent()

  /// Creates a shard, which starts at once.
  /// - Throws: `SocketError` of `.prepare` if no epoll descriptor is available.
  public init(label: String) throws(SocketError) {
    self.label = label
    sockets = try SocketTable()
    queue = DispatchQueue(label: label)
    currentInstant = MonotonicClock.now()
    let descriptor = sockets.epoll
    socketSource = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    timerSource = DispatchSource.makeTimerSource(queue: queue)
    // The only place that closes the descriptor: Dispatch forbids closing it earlier.
    socketSource.setCancelHandler { [end] in
      _ = close(descriptor)
      end.signal()
    }
    socketSource.setEventHandler { [weak self] in self?.serveSockets() }
    timerSource.setEventHandler { [weak self] in self?.timerFired() }
    socketSource.activate()
    timerSource.activate()
  }

  deinit {
    socketSource.cancel()
    timerSource.cancel()
  }

  // MARK: Executor

  /// Runs a job of one of this shard's actors in the next turn.
  public func enqueue(_ job: consuming ExecutorJob) {
    post(.job(UnownedJob(job)))
  }

  /// This shard, for an actor's `unownedExecutor`.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Traps if called off the shard.
  public func checkIsolated() {
    preconditionOnShard()
  }

  /// Whether the caller runs on the shard.
  public func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  /// Whether the caller runs on the shard. Takes a few nanoseconds.
  public var isCurrent: Bool {
    turnThread.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// Traps if called off the shard. Guards everything here that is not thread-safe.
  public func preconditionOnShard() {
    precondition(isCurrent, "called off the shard \(label)")
  }

  // MARK: Work

  /// Runs `work` on the shard in a later turn, in posting order. Thread-safe.
  ///
  /// Posts are batched: all that arrive before the shard runs cost one wake-up and one flush.
  public func async(_ work: @escaping @Sendable () -> Void) {
    post(.block(work))
  }

  /// When this turn began. Only on the shard.
  public var now: Instant {
    preconditionOnShard()
    return currentInstant
  }

  /// Runs `action` on the shard at `instant` or soon after. Only on the shard. O(log n).
  @discardableResult
  public func schedule(at instant: Instant, _ action: @escaping () -> Void) -> DeadlineToken {
    preconditionOnShard()
    return deadlines.insert(.action(action), at: instant)
  }

  /// Cancels a deadline; no effect if it was reached. Only on the shard. O(log n).
  public func cancel(_ token: DeadlineToken) {
    preconditionOnShard()
    deadlines.remove(token)
  }

  /// Closes every connection, ends every watch and stops polling; later posts still run. Returns
  /// when all descriptors of the shard are closed. Idempotent.
  public func stop() async {
    async { [self] in
      guard !isStopped else { return }
      isStopped = true
      for connection in sockets.all { connection.terminate(.closedHere) }
      for watch in sockets.watches { watch.shardStops() }
      // No timer fires any more, and an action may retain an owner of the shard.
      _ = deadlines.removeAll()
      socketSource.cancel()
      timerSource.cancel()
    }
    await end.wait()
  }

  private func post(_ work: Work) {
    let isFirst = inbox.withLock { inbox in
      inbox.work.append(work)
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    // Strong: a posted closure must run even if its shard has been released.
    if isFirst { queue.async { self.serveInbox() } }
  }
}

// MARK: - Turns

extension Shard {
  /// Maximum batches of ready sockets per Dispatch event, so that other users of the queue run too.
  private static let roundsPerEvent = 16

  func add(_ deadline: SocketConnection, at instant: Instant) -> DeadlineToken {
    deadlines.insert(.connection(deadline), at: instant)
  }

  func remove(_ token: DeadlineToken) {
    deadlines.remove(token)
  }

  /// Schedules a flush of the connection for the end of this turn.
  func touch(_ connection: SocketConnection) {
    guard !connection.isTouched else { return }
    connection.isTouched = true
    touched.append(connection)
  }

  /// Schedules another flush for the next turn, after the other connections.
  func touchInNextTurn(_ connection: SocketConnection) {
    flushNextTurn.append(connection)
    if flushNextTurn.count == 1 { async {} }
  }

  private func turn(_ body: () -> Void) {
    turnThread.store(UInt(pthread_self()), ordering: .relaxed)
    currentInstant = MonotonicClock.now()
    let continued = flushNextTurn
    flushNextTurn.removeAll()
    for connection in continued { touch(connection) }
    body()
    runDeadlines()
    flushTouched()
    setTimer()
    turnThread.store(0, ordering: .relaxed)
  }

  private func serveSockets() {
    guard !isStopped else { return }
    for _ in 0..<Self.roundsPerEvent {
      let count = sockets.poll()
      guard count > 0 else { return }
      turn {
        for index in 0..<count { sockets.serve(index) }
        // Responses that became ready meanwhile share this turn's flush.
        runInbox()
      }
    }
  }

  private func serveInbox() {
    inbox.withLock { $0.isScheduled = false }
    turn { runInbox() }
  }

  private func runInbox() {
    var work = spareWork
    spareWork = []
    inbox.withLock { swap(&$0.work, &work) }
    for item in work {
      switch item {
      case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
      case .block(let block): block()
      }
    }
    // A burst must not pin its memory.
    if work.capacity <= 4096 {
      work.removeAll(keepingCapacity: true)
      spareWork = work
    }
  }

  private func timerFired() {
    timerIsSetFor = nil
    turn {}
  }

  private func runDeadlines() {
    // A deadline scheduled from here for a past instant waits for the next turn, so a self-renewing
    // deadline cannot monopolize the shard.
    var due: [Deadline] = []
    while let deadline = deadlines.popFirst(notAfter: currentInstant) { due.append(deadline) }
    for deadline in due {
      switch deadline {
      case .connection(let connection): connection.deadlineReached(at: currentInstant)
      case .action(let action): action()
      }
    }
  }

  private func flushTouched() {
    // Flushing may touch other connections (a call that ends wakes another): they join this turn.
    var index = 0
    while index < touched.count {
      touched[index].flush(at: currentInstant)
      index += 1
    }
    touched.removeAll(keepingCapacity: touched.capacity <= 4096)
  }

  private func setTimer() {
    guard !isStopped, let earliest = deadlines.earliest else { return }
    // A timer set too early costs one empty turn; moving it costs a trip to Dispatch's manager
    // thread. Deadlines mostly move later, so only an earlier one moves the timer.
    if let timerIsSetFor, timerIsSetFor <= earliest { return }
    timerIsSetFor = earliest
    let wait =
      earliest > currentInstant ? earliest.nanoseconds - currentInstant.nanoseconds : 0
    let bounded = Int(min(wait, 86_400_000_000_000))
    timerSource.schedule(deadline: .now() + .nanoseconds(bounded), leeway: .milliseconds(1))
  }
}
