// SPDX-License-Identifier: Apache-2.0
// Support for the server's tests: temporary folders, records, a settable clock, responses.

import AtrestDomain
import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Logging
import Synchronization
import Testing

@testable import AtrestServer

extension Folder {
  /// The store's folder. Not created yet.
  var data: String { path("data") }
}

/// A clock that tests set, and a deterministic random generator.
final class World: Sendable {
  private let time = Mutex(noon)
  private let generator = Mutex(SeededRandom(seed: 1))

  var now: Int64 {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  var environment: Environment {
    Environment(
      now: { WallTime(milliseconds: self.now) },
      random: { count in
        self.generator.withLock { generator in
          (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
      })
  }
}

/// A time in 2026.
let noon: Int64 = 1_780_000_000_000
let phone = ReplicaID(rawValue: 1)
let tablet = ReplicaID(rawValue: 2)

func stamp(_ milliseconds: Int64, _ replica: ReplicaID) -> Stamp {
  Stamp(time: HybridTime(WallTime(milliseconds: milliseconds)), replica: replica)
}

/// The ID of a test's nth record.
func recordID(_ number: Int) -> [UInt8] {
  withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8](repeating: 0xA7, count: 8) + $0 }
}

/// A drink as a device records it.
func water(
  _ number: Int, millilitres: Int = 250, at time: Int64 = noon, by replica: ReplicaID = phone,
  replacing: Stamp? = nil
) -> Record {
  let intake = WaterEntry.Intake(
    at: WallTime(milliseconds: noon), millilitres: millilitres)
  let value = intake.map { WaterField.encode($0) } ?? []
  let written = stamp(time, replica)
  return Record(
    key: RecordKey(kind: .water, id: recordID(number)),
    registers: [
      Register(field: Register.deletedField, stamp: written, replaced: replacing, value: []),
      Register(field: WaterField.intake, stamp: written, replaced: replacing, value: value),
    ]) ?? Record(key: RecordKey(kind: .water, id: recordID(number)))
}

func offer(_ record: Record) -> [UInt8] {
  Offer(record: record, written: record.registers.map(\.field)).encoded
}

func request(_ cursor: Cursor? = nil, _ records: Record...) -> ExchangeRequest {
  ExchangeRequest(cursor: cursor, offers: records.map(offer))
}

/// A request with consecutive numbers.
func segment(
  _ offers: [[UInt8]], from number: UInt64, token: UInt64, confirmed: UInt64 = 0,
  told: UInt64 = 0, settled: UInt64 = 0, cursor: Cursor? = nil
) -> ExchangeRequest {
  let numbers = (0..<UInt64(offers.count)).map { number + $0 }
  return ExchangeRequest(
    cursor: cursor, offers: offers,
    segment: OutboxSegment(
      confirmed: OutboxPosition(number: told, token: confirmed), token: token,
      settledThrough: settled, numbers: numbers))
}

func position(_ number: UInt64, _ token: UInt64) -> OutboxPosition {
  OutboxPosition(number: number, token: token)
}

/// Opens a store. All stores have the same name.
func openStore(
  _ folder: Folder, hooks: SQLiteStore.Hooks = SQLiteStore.Hooks()
) throws(StoreError) -> SQLiteStore {
  try openStore(folder.data, hooks: hooks)
}

func openStore(
  _ directory: String, hooks: SQLiteStore.Hooks = SQLiteStore.Hooks()
) throws(StoreError) -> SQLiteStore {
  try SQLiteStore(directory: directory, hooks: hooks) { 76 }
}

extension AccountID {
  /// The address of one of the account's devices.
  subscript(replica: ReplicaID) -> DeviceAddress {
    DeviceAddress(account: self, replica: replica)
  }
}

extension SyncStore {
  func makeAccount(_ name: String) throws -> AccountID {
    let id = try transaction { transaction throws(StoreError) in
      try transaction.accounts.add(name: name, created: WallTime(milliseconds: noon))
    }
    return try #require(id)
  }

  func makeDevice(_ replica: ReplicaID, _ account: AccountID, secret: UInt8 = 1) throws {
    let isNew = try transaction { transaction throws(StoreError) in
      try transaction.devices.add(
        DeviceEntry(
          replica: replica, account: account, name: "device \(replica.rawValue)",
          tokenHash: Secret.hash([UInt8](repeating: secret, count: 32)),
          paired: WallTime(milliseconds: noon + Int64(replica.rawValue & 0xFF)), seen: nil,
          revoked: nil))
    }
    try #require(isNew)
  }

  func exchange(
    _ account: AccountID, _ request: ExchangeRequest, by device: ReplicaID = phone,
    at now: Int64 = noon, limits: ExchangeLimits = ExchangeLimits()
  ) throws -> ExchangeResponse {
    try exchange(
      request, device: device, account: account, at: WallTime(milliseconds: now), limits: limits)
  }
}

extension SyncStore {
  func holdings(of account: AccountID) throws -> Holdings {
    try transaction { t throws(StoreError) in try t.accounts.feedState(of: account).holdings }
  }
}

extension StoreTransaction {
  /// Sets the head with an arbitrary commit name.
  func setHead(_ sequence: UInt64, of account: AccountID) throws(StoreError) {
    try setHead(Cursor(commit: 1000 &+ sequence, sequence: sequence), of: account)
  }

  func setHead(_ head: Cursor, of account: AccountID) throws(StoreError) {
    try accounts.advance([FeedChange(account: account, head: head)])
  }

  func record(_ key: [UInt8], of account: AccountID) throws(StoreError) -> StoredRecord? {
    try records.load([RecordAddress(account: account, key: key)], limitBytes: 1)[0]
  }

  func insert(
    _ key: [UInt8], body: [UInt8], sequence: UInt64, due: WallTime? = nil, of account: AccountID
  ) throws(StoreError) {
    let record = StoredRecord(sequence: sequence, body: body, due: due)
    try records.write([
      RecordChange(
        address: RecordAddress(account: account, key: key), previous: nil, record: record)
    ])
  }

  /// Replaces a record's bytes without the server's knowledge.
  func overwrite(
    _ key: [UInt8], by record: StoredRecord, of account: AccountID
  ) throws(StoreError) {
    let previous = try self.record(key, of: account)?.sequence
    try records.write([
      RecordChange(
        address: RecordAddress(account: account, key: key), previous: previous, record: record)
    ])
  }
}

/// A drink that was recorded and later deleted.
func deleted(
  _ number: Int, at time: Int64 = noon + 1000, by replica: ReplicaID = phone
) -> Record {
  var record = water(number)
  record.set(
    Register(
      field: Register.deletedField, stamp: stamp(time, replica), replaced: stamp(noon, phone),
      value: Register.deletedValue))
  return record
}

/// Offers a deletion as a device does: only field 1 is in `written`.
func deletion(_ record: Record) -> [UInt8] {
  Offer(record: record, written: [Register.deletedField]).encoded
}

extension ExchangeResponse {
  var decodedRecords: [Record] {
    get throws { try records.map { bytes throws(WireError) in try Record(decoding: bytes) } }
  }
}

extension SessionRegistry.Authentication {
  /// The device that calls, or nil.
  var device: DeviceSession? {
    if case .device(let session) = self { session } else { nil }
  }
}

extension DeviceLookup.Outcome {
  /// The device, or nil if there is none.
  var device: DeviceSession? {
    if case .device(let session) = self { session } else { nil }
  }
}

/// The metadata of a device's calls.
func credentials(_ replica: ReplicaID, secret: UInt8 = 1) -> Metadata {
  let token = Token(replica: replica, secret: [UInt8](repeating: secret, count: 32))
  var metadata = Metadata()
  metadata.add("authorization", "Bearer \(Credentials(cell: .sole, token: token).text)")
  return metadata
}

extension SessionRegistry {
  /// Authenticates a call by its metadata.
  func authenticate(_ metadata: Metadata, at now: WallTime) -> Authentication {
    Credentials(metadata).map { authenticate($0.token, at: now) } ?? .refused
  }
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A log whose lines a test can read: level, message, and metadata by key.
struct RecordingLog: LogHandler {
  let lines: Recorder<String>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    lines.note("\(event.level) \(event.message) " + facts.joined(separator: " "))
  }
}

/// Collects values from other threads and lets a test wait for them.
final class Recorder<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation
  private let values = Mutex<[Value]>([])

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func note(_ value: Value) {
    values.withLock { $0.append(value) }
    continuation.yield(value)
  }

  var all: [Value] { values.withLock { $0 } }

  /// The next value, in order of arrival.
  func next() async throws -> Value {
    var iterator = stream.makeAsyncIterator()
    return try #require(await iterator.next())
  }
}

/// A stream that records what was sent.
final class RecordingSink: EventSink {
  let sent = Recorder<[UInt8]>()
  let finished = Recorder<Status>()
  private let cancel = Mutex<(@Sendable () -> Void)?>(nil)
  private let outcome = Mutex(StreamWriter.SendOutcome.queued)

  func send(_ message: [UInt8]) -> StreamWriter.SendOutcome {
    let outcome = outcome.withLock { $0 }
    if case .queued = outcome { sent.note(message) }
    return outcome
  }

  func finish(_ status: Status) { finished.note(status) }

  func onCancel(_ action: @escaping @Sendable () -> Void) { cancel.withLock { $0 = action } }

  func answer(with new: StreamWriter.SendOutcome) { outcome.withLock { $0 = new } }

  /// The caller disconnects.
  func cancelCall() { cancel.withLock { $0 }?() }

  func nextEvent() async throws -> WatchResponse {
    try WatchResponse(decoding: try await sent.next())
  }
}

/// The outcome of a handler, immediate or later.
///
/// It is passed through a lock, because ThreadSanitizer does not always see the ordering of a
/// continuation.
func outcome(
  _ body: (_ answerLater: @escaping () -> Answer) throws(Status) -> UnaryOutcome
) async -> UnaryOutcome {
  let handover = Handover()
  await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
    let answer = Answer { outcome, _ in
      handover.outcome.withLock { $0 = outcome }
      done.resume()
    }
    do throws(Status) {
      let immediate = try body { answer }
      if case .later = immediate { return }
      handover.outcome.withLock { $0 = immediate }
    } catch {
      handover.outcome.withLock { $0 = .fail(error) }
    }
    done.resume()
  }
  return handover.outcome.withLock { $0 }
}

private final class Handover: Sendable {
  let outcome = Mutex(UnaryOutcome.later)
}

extension UnaryOutcome {
  var reply: [UInt8] {
    get throws {
      guard case .reply(let bytes) = self else { throw failure ?? Status(.unknown, "no reply") }
      return bytes
    }
  }

  var failure: Status? {
    if case .fail(let status) = self { status } else { nil }
  }
}
