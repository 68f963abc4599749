// SPDX-License-Identifier: Apache-2.0
// What shares a commit, and what happens when a commit or a disk fails.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import Dispatch
import Logging
import Synchronization
import Testing

@testable import AtrestServer

/// A queue on a store whose commits a test can hold up and break.
final class Storage: Sendable {
  let folder: Folder
  let world = World()
  let registry = SessionRegistry()
  let queue: CommitQueue
  let sync: SyncService
  let devices: DevicesService
  let fatal = Recorder<StoreError>()
  private let faults: Faults

  final class Faults: Sendable {
    let onFlush = Mutex<(@Sendable () throws(StoreError) -> Void)?>(nil)
    let onCommit = Mutex<(@Sendable () throws(StoreError) -> Void)?>(nil)
  }

  init(
    _ folder: Folder? = nil, limits: JobQueue.Limits = JobQueue.Limits(),
    logger: Logger = quiet
  ) throws {
    let folder = try folder ?? Folder()
    self.folder = folder
    let faults = Faults()
    self.faults = faults
    let counter = Counter()
    var hooks = SQLiteStore.Hooks()
    hooks.beforeFlush = { () throws(StoreError) in try faults.onFlush.withLock { $0 }?() }
    hooks.beforeCommit = { () throws(StoreError) in try faults.onCommit.withLock { $0 }?() }
    hooks.committed = { counter.count.wrappingAdd(1, ordering: .relaxed) }
    let store = try openStore(folder, hooks: hooks)
    if try store.transaction({ t throws(StoreError) in try t.account(named: "kim") }) == nil {
      let kim = try store.makeAccount("kim")
      try store.makeDevice(phone, kim)
      try store.makeDevice(tablet, kim)
      try store.makeDevice(ReplicaID(rawValue: 3), try store.makeAccount("sam"))
    }
    try registry.load(store)
    let free = Free()
    let fatal = fatal
    let disk = DiskGuard(directory: folder.data) { free.bytes.withLock { $0 } }
    let reader = ReadQueue(
      reader: try store.openReader(), limits: limits, environment: world.environment,
      unreadable: UnreadableLog(logger), onFatal: { fatal.note($0) })
    queue = CommitQueue(
      store: store, readers: [reader], disk: disk, registry: registry,
      environment: world.environment,
      logger: logger, limits: limits, onFatal: { fatal.note($0) })
    sync = SyncService(queue: queue, registry: registry, environment: world.environment)
    devices = DevicesService(
      queue: queue, registry: registry, environment: world.environment, logger: quiet)
    self.counter = counter
    self.free = free
    counter.count.store(0, ordering: .relaxed)
  }

  final class Counter: Sendable { let count = Atomic<Int>(0) }
  final class Free: Sendable { let bytes = Mutex<UInt64?>(nil) }
  private let counter: Counter
  let free: Free

  /// Transactions that wrote and were committed.
  var commitCount: Int { counter.count.load(ordering: .relaxed) }

  func failFlush(_ fault: (@Sendable () throws(StoreError) -> Void)?) {
    faults.onFlush.withLock { $0 = fault }
  }

  func failCommit(_ fault: (@Sendable () throws(StoreError) -> Void)?) {
    faults.onCommit.withLock { $0 = fault }
  }

  func session(_ replica: ReplicaID) throws -> DeviceSession {
    try #require(registry.session(replica))
  }

  func exchange(_ replica: ReplicaID, _ request: ExchangeRequest) async throws -> ExchangeResponse {
    let session = try session(replica)
    let outcome = await outcome { later throws(Status) in
      try sync.exchange(session, request.encoded, answerLater: later)
    }
    return try ExchangeResponse(decoding: try outcome.reply)
  }

  /// Runs `body` while the storage queue is inside a commit.
  func whileCommitting<R>(_ body: () async throws -> R) async throws -> R {
    let entered = Recorder<Void>()
    let release = DispatchSemaphore(value: 0)
    failCommit {
      entered.note(())
      release.wait()
    }
    async let blocker = exchange(phone, request(nil, water(1_000_000)))
    try await entered.next()
    failCommit(nil)
    let result: R
    do { result = try await body() } catch {
      release.signal()
      throw error
    }
    release.signal()
    _ = try await blocker
    return result
  }

  /// Runs `body` while nothing is read or committed.
  func whileBusy<R>(_ body: () async throws -> R) async throws -> R {
    try await whileReading { try await whileCommitting(body) }
  }

  /// Runs `body` while the queue that reads is inside a read.
  func whileReading<R>(_ body: () async throws -> R) async throws -> R {
    let entered = Recorder<Void>()
    let release = DispatchSemaphore(value: 0)
    let account = try session(phone).account.id
    let blocker = Operation(by: .account(account), use: .reads) { batch throws(StoreError) in
      // A snapshot begins with what is read first.
      _ = try batch.feed(of: account)
      entered.note(())
      release.wait()
    } completion: { _, _ in
    }
    try #require(queue.submit(blocker))
    try await entered.next()
    defer { release.signal() }
    return try await body()
  }
}

@Suite struct CommitQueueTests {
  @Test("exchanges that arrive while a commit is on its way share the next one")
  func groupCommit() async throws {
    let storage = try Storage()
    let answers = Recorder<UnaryOutcome>()
    let session = try storage.session(tablet)
    try await storage.whileCommitting {
      for number in 0..<100 {
        _ = try storage.sync.exchange(session, request(nil, water(number, by: tablet)).encoded) {
          Answer { outcome, _ in answers.note(outcome) }
        }
      }
      #expect(storage.commitCount == 0)
    }
    for _ in 0..<100 { _ = try ExchangeResponse(decoding: try await answers.next().reply) }
    #expect(storage.commitCount == 2)
    #expect(try await storage.exchange(phone, request()).records.count == 101)
    await storage.queue.close()
  }

  /// Connect, ask for everything a hundred times, hang up, and again: it held up every account's
  /// pushes.
  @Test("what a caller asked for who hung up is not done, unless it takes something away")
  func hungUp() async throws {
    let storage = try Storage()
    let session = try storage.session(phone)
    let isThere = Atomic(true)
    let answers = Recorder<UnaryOutcome>()
    @Sendable func answer() -> Answer {
      let isAwaited: @Sendable () -> Bool = { isThere.load(ordering: .relaxed) }
      return Answer(isAwaited: isAwaited) { outcome, _ in answers.note(outcome) }
    }
    _ = try await storage.exchange(phone, request(nil, water(1)))
    try await storage.whileBusy {
      for bytes in [request(), request(nil, water(2))].map(\.encoded) {
        _ = try storage.sync.exchange(session, bytes, answerLater: answer)
      }
      _ = try storage.sync.reconcile(
        session, ReconcileRequest(ranges: []).encoded, answer: answer)
      _ = try storage.devices.list(session, [], answer: answer)
      _ = try storage.sync.exchange(session, request(nil, deleted(1)).encoded, answerLater: answer)
      isThere.store(false, ordering: .relaxed)
    }
    for _ in 0..<5 { _ = try await answers.next() }
    let failures = answers.all.compactMap(\.failure)
    #expect(failures.map(\.code) == [.cancelled, .cancelled, .cancelled, .cancelled])
    let stored = try await storage.exchange(tablet, request()).decodedRecords
    #expect(!stored.contains { $0.key == water(2).key })
    #expect(stored.first { $0.key == water(1).key }?.isDeleted == true)
    // What it held is free again.
    _ = try storage.sync.reconcile(
      session, ReconcileRequest(ranges: []).encoded, answer: answer)
    await storage.queue.close()
  }

  @Test("nothing is answered, and nobody sees anything, before the commit returned")
  func answersAfterCommit() async throws {
    let storage = try Storage()
    let answers = Recorder<UnaryOutcome>()
    let session = try storage.session(phone)
    let entered = Recorder<Void>()
    let release = DispatchSemaphore(value: 0)
    storage.failCommit {
      entered.note(())
      release.wait()
    }
    _ = try storage.sync.exchange(session, request(nil, water(1)).encoded) {
      Answer { outcome, _ in answers.note(outcome) }
    }
    try await entered.next()
    #expect(answers.all.isEmpty)
    #expect(session.account.head == .start)
    storage.failCommit(nil)
    release.signal()
    #expect(try await answers.next().failure == nil)
    #expect(session.account.head.sequence == 1)
    await storage.queue.close()
  }

  @Test("a commit that returned an error acknowledges nothing, then or later")
  func unknownCommit() async throws {
    let storage = try Storage()
    storage.failCommit { () throws(StoreError) in throw .inputOutput(reason: "planted") }
    await #expect(throws: Status.self) {
      try await storage.exchange(phone, request(nil, water(1)))
    }
    #expect(storage.fatal.all == [.commitUnknown(reason: "planted")])
    storage.failCommit(nil)
    await #expect(throws: Status.self) {
      try await storage.exchange(phone, request(nil, water(2)))
    }
    #expect(storage.commitCount == 0)
    await storage.queue.close()
  }

  @Test(
    "a full disk refuses writes, serves reads of the same batch, and goes on when there is room")
  func fullDisk() async throws {
    let storage = try Storage()
    let start = try await storage.exchange(phone, request(nil, water(1)))
    storage.failFlush { () throws(StoreError) in throw .full }
    let session = try storage.session(phone)
    async let write = outcome { later throws(Status) in
      try storage.sync.exchange(
        session, request(nil, water(2)).encoded, answerLater: later)
    }
    #expect(try await storage.exchange(tablet, request()).records == [water(1).encoded])
    #expect(await write.failure?.code == .resourceExhausted)
    #expect(storage.fatal.all.isEmpty)
    storage.failFlush(nil)
    let after = try await storage.exchange(phone, request(start.cursor, water(2)))
    #expect(after.cursor.sequence == 2)
    await storage.queue.close()
  }

  @Test("below the watermark writes are refused before they reach the store")
  func watermark() async throws {
    let storage = try Storage()
    _ = try await storage.exchange(phone, request(nil, water(1)))
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes - 1 }
    await #expect(throws: Status(StoreError.full)) {
      try await storage.exchange(phone, request(nil, water(2)))
    }
    #expect(try await storage.exchange(tablet, request()).records.count == 1)
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes }
    #expect(try await storage.exchange(phone, request(nil, water(2))).cursor.sequence == 2)
    await storage.queue.close()
  }

  @Test("below the watermark deleting goes on, and so does sending a device away")
  func deletingBelowTheWatermark() async throws {
    let storage = try Storage()
    let start = try await storage.exchange(phone, request(nil, water(1)))
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes - 1 }
    let gone = deleted(1)
    let answer = try await storage.exchange(
      phone, ExchangeRequest(cursor: start.cursor, offers: [deletion(gone)]))
    #expect(answer.refusals.isEmpty && answer.cursor.sequence == 2)
    await storage.queue.close()
  }

  @Test("below the watermark a deletion brings nothing new with it: the rest is for letting go")
  func growingBelowTheWatermark() async throws {
    let storage = try Storage()
    let start = try await storage.exchange(phone, request(nil, water(1), water(2)))
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes - 1 }
    var heavier = deleted(2)
    // A field of bytes, a hundred of them.
    heavier.set(
      Register(
        field: 9, stamp: stamp(noon + 1000, phone),
        value: [0x4A, 100] + [UInt8](repeating: 1, count: 100)))
    let offers = [deletion(deleted(1)), deletion(heavier), deletion(deleted(3))]
    let answer = try await storage.exchange(
      phone, ExchangeRequest(cursor: start.cursor, offers: offers))
    #expect(answer.refusals.map(\.index) == [1, 2])
    #expect(answer.refusals.allSatisfy { $0.reason == .quota && $0.message.contains("disk") })
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes }
    let later = try await storage.exchange(
      phone, ExchangeRequest(cursor: answer.cursor, offers: offers))
    #expect(later.refusals.isEmpty)
    await storage.queue.close()
  }

  @Test("on a full disk deleting takes the ballast's room, once")
  func ballastForDeleting() async throws {
    let storage = try Storage()
    storage.free.bytes.withLock { $0 = 1 << 30 }
    let start = try await storage.exchange(phone, request(nil, water(1)))
    let tries = Recorder<Void>()
    storage.failFlush { () throws(StoreError) in
      tries.note(())
      if tries.all.count == 1 { throw .full }
    }
    let gone = deleted(1)
    let answer = try await storage.exchange(
      phone, ExchangeRequest(cursor: start.cursor, offers: [deletion(gone)]))
    #expect(answer.cursor.sequence == 2 && tries.all.count == 2)
    storage.failFlush { () throws(StoreError) in throw .full }
    await #expect(throws: Status(StoreError.full)) {
      try await storage.exchange(
        phone,
        ExchangeRequest(
          cursor: answer.cursor, offers: [deletion(deleted(1, at: noon + 5000))]))
    }
    await storage.queue.close()
  }

  @Test("a job that fails for a reason of its own does not take the others of its batch along")
  func isolation() async throws {
    let storage = try Storage()
    let answers = Recorder<UnaryOutcome>()
    let failures = Recorder<StoreError?>()
    let session = try storage.session(tablet)
    try await storage.whileCommitting {
      _ = try storage.sync.exchange(session, request(nil, water(1, by: tablet)).encoded) {
        Answer { outcome, _ in answers.note(outcome) }
      }
      let poison = Operation(by: .server, use: .writes) { _ throws(StoreError) in
        throw StoreError.failed(reason: "planted")
      } completion: { result, _ in
        failures.note(result.failure)
      }
      #expect(storage.queue.submit(poison))
    }
    #expect(try await answers.next().failure == nil)
    #expect(try await failures.next() == .failed(reason: "planted"))
    #expect(try await storage.exchange(phone, request()).records.count == 2)
    await storage.queue.close()
  }

  @Test("what waits is bounded in bytes")
  func bounded() async throws {
    var limits = JobQueue.Limits()
    limits.waitingBytes = 4000
    let storage = try Storage(limits: limits)
    let session = try storage.session(tablet)
    try await storage.whileCommitting {
      let status = #expect(throws: Status.self) {
        for number in 0..<100 {
          _ = try storage.sync.exchange(session, request(nil, water(number, by: tablet)).encoded) {
            Answer { _, _ in }
          }
        }
      }
      #expect(status?.code == .resourceExhausted)
    }
    await storage.queue.close()
  }

  @Test("what was noted of devices and could not be written is written with the next commit")
  func notesPutBack() async throws {
    let storage = try Storage()
    let start = try await storage.exchange(phone, request(nil, water(1))).cursor
    func call(_ device: ReplicaID) {
      _ = storage.registry.authenticate(
        credentials(device), at: WallTime(milliseconds: storage.world.now))
    }
    for device in [phone, tablet] { call(device) }
    _ = try await storage.exchange(tablet, request(start))
    storage.failFlush { () throws(StoreError) in throw .failed(reason: "planted") }
    await #expect(throws: Status.self) {
      try await storage.exchange(phone, request(start, water(2)))
    }
    // The phone calls once more before anything is written: that is what counts.
    storage.world.now += 60_000
    call(phone)
    storage.failFlush(nil)
    _ = try await storage.exchange(phone, request(start, water(2)))
    let devices = Recorder<[DeviceEntry]>()
    let look = Operation(by: .server, use: .reads) { batch throws(StoreError) in
      try batch.transaction.devices(of: nil)
    } completion: { result, _ in
      devices.note((try? result.get()) ?? [])
    }
    #expect(storage.queue.submit(look))
    // Read before the queue is closed, which would write them as well.
    let entries = try await devices.next()
    func entry(_ device: ReplicaID) -> DeviceEntry? { entries.first { $0.replica == device } }
    #expect(entry(phone)?.seen == WallTime(milliseconds: noon + 60_000))
    #expect(entry(tablet)?.seen == WallTime(milliseconds: noon))
    #expect(
      entry(tablet)?.progress == DeviceProgress(acknowledgedSequence: 1, toldSequence: 1))
    await storage.queue.close()
  }

  @Test("notes that are put back do not take the place of newer ones, and are taken once")
  func newerNotes() throws {
    let storage = try Storage()
    let (registry, session) = (storage.registry, try storage.session(phone))
    func call(at time: Int64) {
      _ = registry.authenticate(credentials(phone), at: WallTime(milliseconds: time))
    }
    call(at: noon)
    registry.note(told: 2, acknowledged: 1, of: session)
    let notes = registry.takeNotes()
    #expect(registry.takeNotes().seen.isEmpty && registry.takeNotes().progress.isEmpty)
    registry.putBack(notes)
    call(at: noon + 60_000)
    registry.note(told: 3, acknowledged: 2, of: session)
    let newer = registry.takeNotes()
    registry.note(told: 3, acknowledged: 3, of: session)
    registry.putBack(newer)
    let last = registry.takeNotes()
    #expect(last.seen == [phone: WallTime(milliseconds: noon + 60_000)])
    #expect(
      last.progress == [phone: DeviceProgress(acknowledgedSequence: 3, toldSequence: 3)])
  }

  @Test("closing finishes what was submitted, and refuses what comes later")
  func close() async throws {
    let storage = try Storage()
    let answers = Recorder<UnaryOutcome>()
    let session = try storage.session(phone)
    _ = try storage.sync.exchange(session, request(nil, water(1)).encoded) {
      Answer { outcome, _ in answers.note(outcome) }
    }
    await storage.queue.close()
    #expect(answers.all.count == 1 && answers.all.first?.failure == nil)
    await #expect(throws: Status.self) { try await storage.exchange(phone, request()) }
    let again = try Storage(storage.folder)
    #expect(try await again.exchange(tablet, request()).records == [water(1).encoded])
    await again.queue.close()
  }

  @Test(
    "a record that rotted is named in the log once, by kind and place, and never by what it held")
  func unreadable() async throws {
    let lines = Recorder<String>()
    let storage = try Storage(logger: Logger(label: "test") { _ in RecordingLog(lines: lines) })
    _ = try await storage.exchange(phone, request(nil, water(1), water(2), water(3)))
    let rotten = water(2)
    let body = [0xFF] + rotten.encoded
    let account = try storage.session(phone).account.id
    let done = Recorder<Void>()
    let job = Operation(by: .server, use: .writes) { batch throws(StoreError) in
      try batch.transaction.replace(
        key: rotten.key.storageKey, by: StoredRecord(sequence: 2, body: body), account: account)
    } completion: { _, _ in
      done.note(())
    }
    #expect(storage.queue.submit(job))
    try await done.next()
    for _ in 0..<2 {
      let pulled = try await storage.exchange(tablet, request())
      #expect(pulled.records == [water(1).encoded, water(3).encoded])
      #expect(pulled.cursor.sequence == 3)
      let refused = try await storage.exchange(phone, request(pulled.cursor, rotten))
      #expect(refused.refusals.map(\.reason) == [.damaged])
      let session = try storage.session(phone)
      let compared = await outcome { later throws(Status) in
        try storage.sync.reconcile(
          session,
          ReconcileRequest(ranges: [KeyRange(end: [], content: .items([]))]).encoded,
          answer: later)
      }
      #expect(
        try ReconcileResponse(decoding: try compared.reply).records == [
          water(1).encoded, water(3).encoded,
        ])
    }
    await storage.queue.close()
    let told = lines.all.filter { $0.contains("cannot be read") }
    #expect(told.count == 1)
    #expect(told.first?.contains("account=\(account.rawValue) kind=2 sequence=2") == true)
  }

  @Test("when a device last called is written with a later commit, at most once a minute")
  func seen() async throws {
    let storage = try Storage()
    func authenticate() {
      _ = storage.registry.authenticate(
        credentials(phone), at: WallTime(milliseconds: storage.world.now))
    }
    authenticate()
    storage.world.now += 59_999
    authenticate()
    _ = try await storage.exchange(tablet, request(nil, water(1)))
    storage.world.now += 1
    authenticate()
    await storage.queue.close()
    let store = try openStore(storage.folder)
    defer { store.close() }
    let devices = try store.transaction { t throws(StoreError) in try t.devices(of: nil) }
    #expect(devices.first { $0.replica == phone }?.seen == WallTime(milliseconds: noon + 60_000))
    #expect(devices.first { $0.replica == tablet }?.seen == nil)
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
