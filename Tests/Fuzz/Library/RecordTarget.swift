// SPDX-License-Identifier: Apache-2.0
// Fuzzes encoded records and offers, and the merge of any two of them.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestWire
import Foundation

extension FuzzTarget {
  /// Three records, separated by lengths.
  static let record = FuzzTarget(name: "record", limitBytes: 2048) { bytes in
    var input = Input(bytes)
    let parts = [input.part(), input.part(), input.remainder()]
    for part in parts {
      try checkAgreement(about: part, as: Record.self)
      try checkAgreement(about: part, as: Offer.self)
      if let offer = try? Offer(decoding: part) { try checkRoundTrip(offer) }
    }
    let records = parts.compactMap { try? Record(decoding: $0) }
    for record in records { try checkRecord(record) }
    guard let first = records.first else { return }
    // Merging requires one key. The registers are kept.
    let copies = records.compactMap { Record(key: first.key, registers: $0.registers) }
    try law(copies.count == records.count, "registers that fit one record fit another")
    try checkMerging(copies)
    try checkOffers(copies)
  } seeds: {
    var seeds: [(name: String, input: [UInt8])] = []
    let records = Samples.records
    for (name, record) in records {
      seeds.append((name, record.encoded))
      let other = Samples.rewritten(record)
      seeds.append((name + "-twice", Input.part(record.encoded) + Input.part(other.encoded)))
    }
    seeds.append(("offer", Offer(record: records[0].record, written: [1, 2]).encoded))
    seeds.append(
      ("restored", Offer(record: records[0].record, written: [], isRestored: true).encoded))
    return seeds
  }
}

private func checkRecord(_ record: Record) throws {
  try checkRoundTrip(record)
  let isRegular = (try? record.checkKindRules()) != nil
  try law(
    ((try? record.checkPackedKindRules()) != nil) == isRegular, "both codecs keep a kind's rules")
  if isRegular { try checkMeaning(record) }
  if let session = try? Session(record) {
    let span = SessionField.encode(session.span)
    try law(!span.isEmpty, "a span that can be read can be written")
  }
  let pruned = record.pruned()
  try law(pruned.pruned() == pruned, "pruning twice is pruning once")
  try law(pruned.registers.count <= record.registers.count + 1, "pruning adds a floor at most")
  if pruned.registers.count <= Record.Limits.registers { try checkRoundTrip(pruned) }
  _ = record.latestTime
  let key = RecordKey(storageKey: record.key.storageKey)
  try law(key == record.key, "a key survives being stored")
}

/// Checks that a record which keeps its kind's rules can be read as that kind.
private func checkMeaning(_ record: Record) throws {
  guard !record.isDeleted else { return }
  switch record.key.kind {
  case .session: _ = try Session(record)
  case .water: _ = try WaterEntry(record)
  case .preference: _ = try PreferenceField.value(of: record)
  case .entitlement:
    let jws = try EntitlementField.jws(of: record)
    try law(EntitlementField.record(jws: jws) == record, "a fact makes its own record")
  case .conflict:
    let conflict = try Conflict(record)
    try law(
      conflict.journalRecord.key == record.key, "a journal entry is named after what it holds")
  default: break
  }
}

private func checkMerging(_ copies: [Record]) throws {
  func join(_ a: Record, _ b: Record) -> Record {
    var merged = a
    merged.merge(b)
    return merged
  }
  for a in copies {
    try law(join(a, a) == a, "merging is idempotent")
    for b in copies {
      let both = join(a, b)
      try law(both == join(b, a), "merging is commutative")
      try law(join(both, b) == both, "merging again changes nothing")
      try law(both.encoded == join(b, a).encoded, "equal records have equal bytes")
      if both.registers.count <= Record.Limits.registers { try checkRoundTrip(both) }
      for c in copies {
        try law(join(both, c) == join(a, join(b, c)), "merging is associative")
      }
    }
  }
}

private func checkOffers(_ copies: [Record]) throws {
  guard let stored = copies.first, let record = copies.last else { return }
  let offers = [
    Offer(record: record, written: []),
    Offer(record: record, written: record.registers.map(\.field)),
    Offer(record: record, written: [], isRestored: true),
  ]
  for offer in offers {
    let outcome = offer.merged(into: stored, at: Samples.now)
    try law(outcome.record.key == stored.key, "an offer stays with its record")
    try law(
      offer.isRestored || !offer.written.isEmpty
        || outcome.conflicts.allSatisfy { $0.lost != record[$0.field] },
      "what was not written does not lose in a conflict")
    for conflict in outcome.conflicts {
      let entry = conflict.journalRecord
      let decoded = try Record(decoding: entry.encoded)
      try law(decoded == entry, "a journal entry survives the wire")
      try law(try Conflict(decoded) == conflict, "a journal entry can be read")
    }
    let again = offer.merged(
      into: outcome.record, history: outcome.history, at: Samples.now)
    try law(
      again.conflicts.allSatisfy(outcome.conflicts.contains), "what was judged is judged once")
    try checkRoundTrip(outcome.history)
    try law(again.record == outcome.record, "an offer that is repeated changes nothing")
  }
}

private func checkRoundTrip(_ history: RecordHistory) throws {
  try law(RecordHistory(decoding: history.encoded) == history, "a history survives being stored")
}

/// Checks that a decoded message encodes to bytes with exactly the same meaning.
func checkRoundTrip<Message: WireMessage>(_ message: Message) throws {
  let encoded = message.encoded
  let decoded: Message
  do { decoded = try Message(decoding: encoded) } catch {
    throw BrokenLaw(description: "\(Message.self) cannot read what it wrote: \(error)")
  }
  try law(decoded == message, "\(Message.self) is not what it was after a journey")
  try law(decoded.encoded == encoded, "\(Message.self) has two encodings")
}
