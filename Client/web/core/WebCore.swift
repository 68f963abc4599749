// SPDX-License-Identifier: Apache-2.0
// The replica of a browser: one request in, one answer out. No I/O, no clock, no random source.

import AtrestDomain
import AtrestReplication
import AtrestSync

/// The app that a replica belongs to.
package enum WebApp: String {
  case atrest
  case trunk
}

/// What the device says about the person and the place.
struct WebEnvironment {
  var zone = ZoneOffsets.utc
  var firstWeekday = Weekday.monday
}

/// A replica in memory, with what the shell asks of it.
///
/// After a failure the replica is what it was. Rows that cannot be kept leave the core ahead of its
/// store; the owner then drops it and opens another.
package final class WebCore {
  typealias Work = UnitOfWork<MemoryTables>

  private(set) var app = WebApp.atrest
  var environment = WebEnvironment()
  var sync: SyncMachine?
  let random: () -> UInt64
  /// The devices as they were last listed: for the names of those that a revocation reaches.
  var family = DeviceFamily([])
  /// The account's newest events, as they were last asked for.
  var events: [AccountEvent] = []

  private var tables: MemoryTables?
  private var store = RowStore()
  private var delta = RowDelta()

  /// - Parameter random: Unpredictable numbers: of ids, nonces and tokens.
  package init(random: @escaping () -> UInt64) { self.random = random }

  // MARK: The replica

  /// Opens the replica that rows are; no rows are a new one.
  ///
  /// - Returns: Whether it is new. Then it has rows to keep.
  func open(_ rows: [(key: String, bytes: [UInt8])], of app: WebApp) throws(CoreFailure) -> Bool {
    guard tables == nil else { throw .misuse("the replica is open already") }
    self.app = app
    guard rows.isEmpty else {
      let (store, contents) = try RowStore.opened(rows)
      self.store = store
      tables = MemoryTables(name: "this browser", loading: contents)
      return false
    }
    let fresh = MemoryTables(name: "this browser")
    tables = fresh
    store.add(fresh.contents, to: &delta)
    return true
  }

  /// Reads in a transaction that changes nothing.
  func read<Value>(
    _ now: WallTime, _ body: (inout Work) throws(CoreFailure) -> Value
  ) throws(CoreFailure) -> Value {
    var work = try begin(now)
    defer { work.tables.rollBack() }
    return try body(&work)
  }

  /// Runs a transaction. Its rows are kept before the answer counts.
  func write<Value>(
    _ now: WallTime, _ body: (inout Work) throws(CoreFailure) -> Value
  ) throws(CoreFailure) -> Value {
    var work = try begin(now)
    do throws(CoreFailure) {
      let value = try body(&work)
      try commit(work.tables)
      return value
    } catch {
      work.tables.rollBack()
      throw error
    }
  }

  private func begin(_ now: WallTime) throws(CoreFailure) -> Work {
    guard let tables else { throw .misuse("the replica is not open") }
    return UnitOfWork(tables, now: now, random: random)
  }

  private func commit(_ tables: MemoryTables) throws(CoreFailure) {
    let changes: ReplicaChanges
    do { changes = try tables.takeChanges() } catch { throw CoreFailure(error) }
    if !changes.isEmpty { store.add(changes, to: &delta) }
  }

  /// Runs a transaction of the sync engine.
  func perform(_ request: StoreRequest, at now: WallTime) throws(ReplicaError) -> StoreReply {
    guard let tables else { throw .invalid("The replica is not open.") }
    var work = UnitOfWork(tables, now: now, random: random)
    do throws(ReplicaError) {
      let reply = try work.reply(to: request)
      let changes = try tables.takeChanges()
      if !changes.isEmpty { store.add(changes, to: &delta) }
      return reply
    } catch {
      tables.rollBack()
      throw error
    }
  }

  /// What is to be kept since the last answer.
  func takeDelta() -> RowDelta {
    defer { delta = RowDelta() }
    return delta
  }

  /// A new record's id: random, version 4.
  func newID() -> RecordUUID {
    var bytes = [random(), random()].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    guard let id = RecordUUID(bytes: bytes) else { preconditionFailure("an id has 16 bytes") }
    return id
  }
}

/// Has a store's failure as the core tells it.
func told<Value>(_ body: () throws(ReplicaError) -> Value) throws(CoreFailure) -> Value {
  do { return try body() } catch { throw CoreFailure(error) }
}

/// Has a problem with what was typed or chosen as the core tells it.
func chosen<Value>(_ body: () throws(InputProblem) -> Value) throws(CoreFailure) -> Value {
  do { return try body() } catch { throw CoreFailure(error) }
}
