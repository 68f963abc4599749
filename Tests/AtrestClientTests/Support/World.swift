// SPDX-License-Identifier: Apache-2.0
// Shared test support: a settable clock, temporary folders, printed seeds, paired replicas.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Synchronization
import Testing

import struct AtrestReplication.Cursor
import struct AtrestReplication.Record

@testable import AtrestClient

/// A clock set by the test.
final class TestClock: WallClock {
  private let time: Mutex<Int64>
  private let sinceStart = Mutex<Int64?>(nil)

  init(_ milliseconds: Int64 = 1_800_000_000_000) { time = Mutex(milliseconds) }

  func now() -> WallTime { WallTime(milliseconds: time.withLock { $0 }) }
  func uptimeMilliseconds() -> Int64? { uptime }

  /// Milliseconds since the device was started; nil if it has no such clock.
  var uptime: Int64? {
    get { sinceStart.withLock { $0 } }
    set { sinceStart.withLock { $0 = newValue } }
  }

  func advance(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
  func set(_ milliseconds: Int64) { time.withLock { $0 = milliseconds } }
}

extension Folder {
  /// A replica's directory, not created yet.
  var replica: URL { url.appendingPathComponent("replica") }
  /// The replica's file in it.
  var file: URL { replica.appendingPathComponent("replica.sqlite") }
}

/// A replica in its own folder, with its own clock.
final class TestReplica: Sendable {
  let folder: Folder
  let clock: TestClock
  let replica: Replica

  init(clock: TestClock = TestClock()) throws {
    self.clock = clock
    folder = try Folder()
    replica = try Replica(directory: folder.replica, clock: clock, busyTimeout: 1)
  }

  /// Creates a paired replica.
  convenience init(_ id: UInt64, clock: TestClock = TestClock()) throws {
    try self.init(clock: clock)
    try pair(id)
  }

  /// Another device with a copy of this one's folder, as from a backup or a cloned disk.
  func copied() throws -> TestReplica {
    try TestReplica(copyOf: self)
  }

  private init(copyOf original: TestReplica) throws {
    clock = TestClock(original.clock.now().milliseconds)
    folder = try Folder()
    try FileManager.default.copyItem(at: original.folder.replica, to: folder.replica)
    replica = try Replica(directory: folder.replica, clock: clock, busyTimeout: 1)
  }

  func pair(_ id: UInt64, serverTime: WallTime? = nil) throws {
    try replica.adopt(
      PairResponse(
        replica: ReplicaID(rawValue: id), token: "secret-\(id)", accountName: "home",
        serverTime: serverTime ?? clock.now()),
      server: "127.0.0.1:7443")
  }

  func reopened() throws -> Replica {
    try Replica(directory: folder.replica, clock: clock, busyTimeout: 1)
  }

  func engine(_ transport: any SyncTransport, attempts: Int = 1) -> SyncEngine {
    SyncEngine(store: replica, transport: transport, clock: clock, pacing: .instant(attempts))
  }

  /// Stores a response.
  func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage = OutboxPage()
  ) async throws {
    _ = try await replica.apply(answer, to: request, page: page, at: clock.now())
  }

  @discardableResult
  func sync(_ server: ModelServer) async throws -> SyncReport {
    try await engine(ModelTransport(server: server)).sync()
  }

  /// Syncs until the connection is lost at a call, before or after the server had it.
  func sync(
    _ server: ModelServer, cutAt call: Int, _ kind: ModelTransport.Cut = .beforeServer
  ) async {
    var transport = ModelTransport(server: server)
    transport.cut = { $0 == call ? kind : nil }
    await #expect(throws: SyncError.unreachable("cut")) { try await engine(transport).sync() }
  }

  /// The pending offers, decoded, in order.
  func offers() throws -> [Offer] {
    try replica.read { transaction in
      var offers: [Offer] = []
      try transaction.work.outbox.forEachEntry { entry throws(ReplicaError) in
        if let offer = entry.offer { offers.append(offer) }
      }
      return offers
    }
  }

  /// The next request, with the offers from the start of the outbox.
  func attempt() async throws -> (request: ExchangeRequest, page: OutboxPage) {
    let position = try await replica.position()
    let page = try await replica.nextPage(after: 0)
    let request = ExchangeRequest(
      cursor: position.cursor, offers: page.offers, segment: page.segment)
    return (request, page)
  }

  /// The tokens of the outbox log, oldest first.
  func tokens() throws -> [OutboxPosition] {
    try replica.read { transaction in
      try Row.fetchAll(
        transaction.database, sql: "SELECT through, token FROM outbox_token ORDER BY through"
      ).map { OutboxPosition(number: $0[0], token: UInt64(bitPattern: $0[1])) }
    }
  }

  /// The numbers of the pending entries, in write order.
  func numbers() throws -> [UInt64?] {
    try replica.read { transaction in
      var numbers: [UInt64?] = []
      try transaction.work.outbox.forEachEntry { entry throws(ReplicaError) in
        numbers.append(entry.number)
      }
      return numbers
    }
  }

  var waitingCount: Int { get throws { try replica.status().pendingCount } }
}

extension Pacing {
  /// Does not sleep between attempts.
  static func instant(_ attempts: Int) -> Pacing {
    var pacing = Pacing()
    pacing.attempts = attempts
    pacing.sleep = { _ in try Task.checkCancellation() }
    return pacing
  }
}

extension SeededRandom {
  mutating func uuid() -> RecordUUID {
    var bytes: [UInt8] = []
    for _ in 0..<16 { bytes.append(UInt8.random(in: 0...255, using: &self)) }
    return RecordUUID(bytes: bytes) ?? .random()
  }
}

extension Session {
  /// A fast that began `minutes` after a fixed time.
  static func sample(
    id: RecordUUID = .random(), start minutes: Int = 0, lasted: Int? = nil, target: Int = 16 * 60
  ) throws -> Session {
    let start = WallTime(milliseconds: 1_800_000_000_000 + Int64(minutes) * 60_000)
    let end = lasted.map { start.advanced(bySeconds: Double($0) * 60) }
    let span = try #require(
      Span(start: start, end: end, outcome: end == nil ? .active : .completed))
    return Session(id: id, span: span, targetMinutes: target)
  }

  var key: RecordKey { RecordKey(kind: .session, id: id.bytes) }
}

extension WaterEntry {
  static func sample(id: RecordUUID = .random(), _ millilitres: Int = 250) throws -> WaterEntry {
    WaterEntry(
      id: id,
      intake: try #require(
        Intake(at: WallTime(milliseconds: 1_800_000_000_000), millilitres: millilitres)))
  }

  var key: RecordKey { RecordKey(kind: .water, id: id.bytes) }
}

/// Two replicas that changed one drink without knowing of each other: to 200 ml here, which waits,
/// and a second later to 300 ml there, which the server has.
struct Disagreement {
  let server = ModelServer(clock: TestClock())
  let mine: TestReplica
  let theirs: TestReplica
  let id = RecordUUID.random()

  init() async throws {
    (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    try await mine.sync(server)
    try await theirs.sync(server)
    try await mine.replica.save(WaterEntry.sample(id: id, 200))
    theirs.clock.advance(1000)
    try await theirs.replica.save(WaterEntry.sample(id: id, 300))
    try await theirs.sync(server)
  }
}
