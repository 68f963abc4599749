// SPDX-License-Identifier: Apache-2.0
// Sync.Exchange, Sync.Watch and Sync.Reconcile.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

/// Implements the Sync service, independent of connections. See `Server` for how calls reach it.
package final class SyncService: Sendable {
  private let queue: any StorageQueue
  private let registry: SessionRegistry
  private let environment: Environment
  private let gate: PurchaseGate?
  private let quota: AccountQuota
  private let clock: ClockMonitor?
  private let limits: ExchangeLimits
  private let sizes: ComparisonSizes
  private let isStopping = Atomic(false)

  package init(
    queue: any StorageQueue, registry: SessionRegistry, environment: Environment,
    gate: PurchaseGate? = nil,
    quota: AccountQuota = .standard, clock: ClockMonitor? = nil,
    limits: ExchangeLimits = ExchangeLimits(), sizes: ComparisonSizes = ComparisonSizes()
  ) {
    self.limits = limits
    self.sizes = sizes
    self.clock = clock
    self.gate = gate
    self.quota = quota
    self.queue = queue
    self.registry = registry
    self.environment = environment
  }

  /// Executes an exchange. Responds from memory if there is nothing to offer and nothing new,
  /// otherwise after the commit is durable.
  ///
  /// - Parameters:
  ///   - answerLater: Creates the callback that completes the call. Called at most once, and only
  ///     if the method returns `.later`.
  package func exchange(
    _ session: DeviceSession, _ bytes: [UInt8], answerLater: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(ExchangeRequest.self, bytes)
    let now = environment.now()
    if let device = request.deviceTime { session.note(clock: device, at: now) }
    if request.offers.isEmpty, request.segment == nil, !session.isRevoked,
      let head = session.account.trustedHead, request.cursor == head,
      request.lastKnownHead == nil || request.lastKnownHead == head
    {
      if !request.isPeek {
        registry.note(told: head.sequence, acknowledged: head.sequence, of: session)
      }
      return .reply(
        ExchangeResponse(
          cursor: head, serverTime: now, isClockDoubtful: clock?.doubt != nil
        ).packed)
    }
    var prepared = PreparedExchange(
      request, gate: gate.map { ($0, session.account) }, quota: quota, now: now)
    guard !prepared.hasTooManyStatements else { throw .tooManyStatements }
    prepared.limits = limits
    let job = ExchangeJob(
      session, prepared, queue, registry, environment, clock, answerLater())
    guard queue.submit(job) else { throw .busy }
    return .later
  }

  /// Executes one round of reconciliation. One at a time per device.
  package func reconcile(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(ReconcileRequest.self, bytes)
    guard session.beginReconcile() else { throw .busy }
    let job = ReconcileJob(
      session, request, requestBytes: bytes.count, sizes, environment, answer())
    guard queue.submit(job) else {
      session.endReconcile()
      throw .busy
    }
    return .later
  }

  /// Opens a Watch stream. The first event reports the account's head. Later events report the
  /// commits after it.
  ///
  /// The cursor in the request is not used: the client compares its own cursor with the first
  /// event.
  /// - Returns: The stream, so that its owner can send heartbeats. Nil if the stream was refused
  ///   and has ended.
  package func watch(
    _ session: DeviceSession, _ bytes: [UInt8], sink: any EventSink
  ) throws(Status) -> Watch? {
    do throws(WireError) { _ = try WatchRequest(unpacking: bytes) } catch { throw Status(error) }
    let watch = Watch(session: session, sink: sink)
    guard session.add(watch) else {
      throw Status(.resourceExhausted, "This device listens too many times over.")
        .because(.watchLimit, quota: .device, retry: .useless)
    }
    sink.onCancel { [weak watch] in watch?.forget() }
    // This check follows the insertion into the list that `endWatches` empties, so one of the two
    // ends the stream.
    guard !isStopping.load(ordering: .sequentiallyConsistent) else {
      watch.end(.goingAway)
      return nil
    }
    let environment = environment
    let reads: StorageReads = { $0.devices.insert(session.replica) }
    // Runs between two commits, so the stream misses no event and sees none from before its head.
    let job = Operation(by: .device(session), use: .waits, reads: reads) {
      batch throws(StoreError) in
      try batch.allows(session)
    } completion: { result, _ in
      switch result {
      case .success(let isAllowed) where !isAllowed || session.isRevoked:
        watch.end(.unknownDevice)
      case .success:
        session.account.add(watch)
        watch.sendHeartbeat(at: environment.now())
        // The call may have ended meanwhile.
        if !watch.isOpen { session.account.remove(watch) }
      case .failure(let error): watch.end(Status(error))
      }
    }
    guard queue.submit(job) else {
      watch.end(.busy)
      return nil
    }
    return watch
  }

  /// Ends all streams and accepts no new ones, because the server is stopping.
  package func endWatches() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    registry.endWatches(.goingAway)
  }
}

/// One exchange in the storage queue.
private final class ExchangeJob: StorageJob, @unchecked Sendable {
  // Sendable: `response` and `notes` are touched only on the storage queue, the rest is immutable.
  private let session: DeviceSession
  private let request: PreparedExchange
  private let queue: any StorageQueue
  private let registry: SessionRegistry
  private let environment: Environment
  private let clock: ClockMonitor?
  private let answer: Answer
  private var response: ExchangeResponse?
  private var notes: [NewEvent] = []

  init(
    _ session: DeviceSession, _ request: PreparedExchange, _ queue: any StorageQueue,
    _ registry: SessionRegistry,
    _ environment: Environment, _ clock: ClockMonitor?, _ answer: Answer
  ) {
    self.clock = clock
    self.session = session
    self.request = request
    self.queue = queue
    self.registry = registry
    self.environment = environment
    self.answer = answer
  }

  var use: StorageUse {
    if request.onlyReads { return .reads }
    return request.onlyDeletes ? .clears : .writes
  }
  var payer: Payer { .device(session) }
  var costBytes: Int { request.costBytes }
  var answerBytes: Int { response?.records.reduce(0) { $0 + $1.count } ?? 0 }
  var isAwaited: Bool { answer.isAwaited }

  func prefetch(_ queries: inout StoreQueries) { request.prefetch(&queries, for: session) }

  func run(in batch: Batch) throws(StoreError) {
    response = nil
    notes = []
    // Revocations pass through the same queue: after one, nothing from the device is accepted.
    guard try batch.allows(session) else { return }
    let now = environment.now()
    var request = request
    request.quota.isDiskFull = batch.isDiskFull
    response = try Exchange.run(
      request, device: session.replica, feed: try batch.feed(of: session.account.id), now: now
    ) { kind, detail in
      notes.append(
        NewEvent(
          kind, of: session.account.id, at: now, actor: session.replica, detail: detail))
    }
    response?.isClockDoubtful = clock?.doubt != nil
  }

  func finish(_ error: StoreError?, _ answers: inout ResponseBatch) {
    if let error {
      answer(.fail(Status(error)), &answers)
    } else if let response {
      // Of the history that the store has lost, nothing counts as acknowledged in this one.
      if response.restarted { session.forgetProgress() }
      registry.note(
        told: request.isPeek ? nil : response.toldSequence,
        acknowledged: response.restarted ? 0 : request.acknowledgedSequence, of: session)
      for event in notes { queue.note(event) }
      answer(.reply(response.packed), &answers)
    } else {
      answer(.fail(.unknownDevice), &answers)
    }
  }
}
