// SPDX-License-Identifier: Apache-2.0
// The bytes of each kind of row, and its key in the store.

import AtrestReplication
import AtrestSync
import AtrestWire

/// A row of the durable replica.
enum StoredRow {
  case state(ReplicaState)
  case record(RecordRow)
  case outbox(OutboxRow)
  case token(OutboxPosition)
  case action(StoredAction)

  /// The key of the replica's state.
  static let stateKey = "state"

  static func key(of key: RecordKey) -> String {
    "record/\(key.kind.rawValue)/\(Hexadecimal.encoded(key.id))"
  }

  static func key(ofOutbox sequence: Int64) -> String { "outbox/\(sequence)" }
  static func key(ofToken number: UInt64) -> String { "token/\(number)" }
  static func key(ofAction sequence: Int64) -> String { "action/\(sequence)" }

  /// Its key in the store.
  var key: String {
    switch self {
    case .state: Self.stateKey
    case .record(let row): Self.key(of: row.key)
    case .outbox(let row): Self.key(ofOutbox: row.sequence)
    case .token(let row): Self.key(ofToken: row.number)
    case .action(let row): Self.key(ofAction: row.action.sequence)
    }
  }

  /// Its bytes, without their checksum.
  var bytes: [UInt8] {
    var writer = RowWriter()
    switch self {
    case .state(let state):
      writer.number(6)
      state.write(to: &writer)
    case .record(let row):
      writer.number(2)
      writer.data(row.body)
    case .outbox(let row):
      writer.number(3)
      row.write(to: &writer)
    case .token(let row):
      writer.number(4)
      writer.number(row.number)
      writer.number(row.token)
    case .action(let row):
      writer.number(5)
      row.write(to: &writer)
    }
    return writer.bytes
  }

  /// Reads a row. O(bytes): records and offers are decoded, so that later reads succeed.
  init(decoding bytes: ArraySlice<UInt8>) throws(RowReader.Damage) {
    var reader = RowReader(bytes)
    switch try reader.number() {
    case 1: self = .state(try ReplicaState(from: &reader, hasTakenNumber: false))
    case 2:
      let body = try reader.data()
      guard let record = try? Record(decoding: body) else { throw RowReader.Damage() }
      self = .record(
        RecordRow(key: record.key, body: body, listing: ListingPosition(of: record)))
    case 3: self = .outbox(try OutboxRow(from: &reader))
    case 4:
      self = .token(OutboxPosition(number: try reader.number(), token: try reader.number()))
    case 5: self = .action(try StoredAction(from: &reader))
    case 6: self = .state(try ReplicaState(from: &reader, hasTakenNumber: true))
    default: throw RowReader.Damage()
    }
    try reader.end()
  }
}

extension OutboxRow {
  fileprivate func write(to writer: inout RowWriter) {
    writer.signed(sequence)
    writer.data(key.storageKey)
    // 0: an offer. 1: none yet. 3 and 2: the same of a row that restores.
    if let offer {
      writer.number(isRestoring ? 3 : 0)
      writer.data(offer)
    } else {
      writer.number(isRestoring ? 2 : 1)
    }
    writer.optional(refusal) { writer, refusal in
      writer.number(UInt64(refusal.reason.rawValue))
      writer.text(refusal.message)
    }
    writer.optional(number) { $0.number($1) }
  }

  fileprivate init(from reader: inout RowReader) throws(RowReader.Damage) {
    let sequence = try StoredAction.sequence(&reader)
    guard let key = RecordKey(storageKey: try reader.data()) else { throw RowReader.Damage() }
    let form = try reader.number()
    guard form <= 3 else { throw RowReader.Damage() }
    var offer: [UInt8]?
    if form == 0 || form == 3 {
      let bytes = try reader.data()
      guard let decoded = try? Offer(decoding: bytes), decoded.record.key == key else {
        throw RowReader.Damage()
      }
      offer = bytes
    }
    let refusal = try reader.optional { reader throws(RowReader.Damage) in
      guard let reason = Int(exactly: try reader.number()) else { throw RowReader.Damage() }
      return OutboxRefusal(reason: RefusalReason(rawValue: reason), message: try reader.text())
    }
    let number = try reader.optional { reader throws(RowReader.Damage) in try reader.number() }
    guard number.map({ $0 <= OutboxSegment.lastNumber }) ?? true else { throw RowReader.Damage() }
    self.init(
      sequence: sequence, key: key, offer: offer, isRestoring: form >= 2, refusal: refusal,
      number: number)
  }
}

extension StoredAction {
  /// The greatest number of a row. What counts further from it never overflows.
  static let lastSequence = Int64.max / 2

  static func sequence(_ reader: inout RowReader) throws(RowReader.Damage) -> Int64 {
    let sequence = try reader.signed()
    guard (0...lastSequence).contains(sequence) else { throw RowReader.Damage() }
    return sequence
  }

  fileprivate func write(to writer: inout RowWriter) {
    writer.signed(action.sequence)
    writer.signed(Int64(action.what))
    writer.signed(action.at.milliseconds)
    writer.number(UInt64(steps.count))
    for step in steps {
      writer.optional(step.before) { $0.data($1) }
      writer.data(step.after)
    }
  }

  fileprivate init(from reader: inout RowReader) throws(RowReader.Damage) {
    let sequence = try Self.sequence(&reader)
    guard let what = Int(exactly: try reader.signed()) else { throw RowReader.Damage() }
    let at = WallTime(milliseconds: try reader.signed())
    let count = try reader.number()
    guard count <= UInt64(UserAction.recordLimit) else { throw RowReader.Damage() }
    var steps: [ActionStepRow] = []
    for _ in 0..<count {
      let before = try reader.optional { reader throws(RowReader.Damage) in try reader.data() }
      steps.append(ActionStepRow(before: before, after: try reader.data()))
    }
    self.init(action: ActionRow(sequence: sequence, what: what, at: at), steps: steps)
  }
}
