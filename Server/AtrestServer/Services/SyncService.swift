// SPDX-License-Identifier: Apache-2.0
// Sync.Exchange, Sync.Watch and Sync.Reconcile.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import Synchronization

/// What the Sync service does with a request. Knows no connection: see `Server` for how calls reach
/// it.
package final class SyncService: Sendable {
  private let queue: CommitQueue
  private let registry: SessionRegistry
  private let environment: Environment
  private let gate: PurchaseGate?
  private let quota: AccountQuota
  private let clock: ClockMonitor?
  /// Records of an answer, at most.
  private let pageRecords: Int
  private let isStopping = Atomic(false)

  package init(
    queue: CommitQueue, registry: SessionRegistry, environment: Environment,
    gate: PurchaseGate? = nil,
    quota: AccountQuota = .standard, clock: ClockMonitor? = nil, pageRecords: Int = Page.records
  ) {
    self.pageRecords = pageRecords
    self.clock = clock
    self.gate = gate
    self.quota = quota
    self.queue = queue
    self.registry = registry
    self.environment = environment
  }

  /// Answers an exchange: from memory if nothing is offered and nothing is new, else once it is
  /// durable.
  ///
  /// - Parameters:
  ///   - answerLater: Makes what completes the call; called at most once, and only if `.later` is
  ///     returned.
  package func exchange(
    _ session: DeviceSession, _ bytes: [UInt8], answerLater: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(ExchangeRequest.self, bytes)
    let now = environment.now()
    if let device = request.deviceTime { session.note(clock: device, at: now) }
    let head = session.account.head
    if request.offers.isEmpty, !session.isRevoked, request.cursor == head,
      request.lastKnownHead ?? head == head
    {
      if !request.isPeek {
        registry.note(told: head.sequence, acknowledged: head.sequence, of: session)
      }
      return .reply(
        ExchangeResponse(
          cursor: head, serverTime: now, isClockDoubtful: clock?.doubt != nil
        ).encoded)
    }
    var prepared = PreparedExchange(
      request, gate: gate.map { ($0, session.account) }, quota: quota, now: now)
    guard !prepared.hasTooManyStatements else { throw .tooManyStatements }
    prepared.pageRecords = pageRecords
    let job = ExchangeJob(
      session, prepared, queue, registry, environment, clock, answerLater())
    guard queue.submit(job) else { throw .busy }
    return .later
  }

  /// Compares what a replica holds with what the account holds. One at a time for each device.
  package func reconcile(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(ReconcileRequest.self, bytes)
    guard session.beginReconcile() else { throw .busy }
    let job = ReconcileJob(session, request, requestBytes: bytes.count, environment, answer())
    guard queue.submit(job) else {
      session.endReconcile()
      throw .busy
    }
    return .later
  }

  /// Opens a stream. Its first event tells the account's head; what commits after that follows.
  ///
  /// The request's cursor is not needed: the client compares its own with the first event.
  /// - Returns: The stream, so that its owner can send heartbeats; nil if it was refused, and has
  ///   ended.
  package func watch(
    _ session: DeviceSession, _ bytes: [UInt8], sink: any EventSink
  ) throws(Status) -> Watch? {
    do throws(WireError) { _ = try WatchRequest(decoding: bytes) } catch { throw Status(error) }
    let watch = Watch(session: session, sink: sink)
    guard session.add(watch) else {
      throw Status(.resourceExhausted, "This device listens too many times over.")
    }
    sink.onCancel { [weak watch] in watch?.forget() }
    // After it is on the list that `endWatches` empties: one of the two ends it.
    guard !isStopping.load(ordering: .sequentiallyConsistent) else {
      watch.end(.goingAway)
      return nil
    }
    let environment = environment
    // Between two commits, so that no event is missed and none comes before the head that it
    // follows.
    let job = Operation(by: .device(session), use: .waits) { _ in
    } completion: { result, _ in
      switch result {
      case .success where session.isRevoked: watch.end(.unknownDevice)
      case .success:
        session.account.add(watch)
        watch.sendHeartbeat(at: environment.now())
        // The call may have ended while it was being added.
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

  /// Ends all streams, and lets none begin: the server is going away.
  package func endWatches() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    registry.endWatches(.goingAway)
  }
}

/// One exchange on its way through the storage queue.
private final class ExchangeJob: StorageJob, @unchecked Sendable {
  // Sendable because `response` and `notes` are touched only on the storage queue; the rest never
  // changes.
  private let session: DeviceSession
  private let request: PreparedExchange
  private let queue: CommitQueue
  private let registry: SessionRegistry
  private let environment: Environment
  private let clock: ClockMonitor?
  private let answer: Answer
  private var response: ExchangeResponse?
  private var notes: [NewEvent] = []

  init(
    _ session: DeviceSession, _ request: PreparedExchange, _ queue: CommitQueue,
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

  func run(in batch: Batch) throws(StoreError) {
    response = nil
    notes = []
    // A revocation passes through the same queue: after it nothing of the device is taken.
    guard batch.allows(session) else { return }
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
      registry.note(
        told: request.isPeek ? nil : response.head.sequence,
        acknowledged: response.restarted ? nil : request.acknowledgedSequence, of: session)
      for event in notes { queue.note(event) }
      answer(.reply(response.encoded), &answers)
    } else {
      answer(.fail(.unknownDevice), &answers)
    }
  }
}
