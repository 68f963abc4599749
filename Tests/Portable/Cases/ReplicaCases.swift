// SPDX-License-Identifier: Apache-2.0
// A replica in memory: writes, pages, answers, undo and held deletions.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire

extension PortableCase {
  static func replicas() -> [PortableCase] {
    [
      PortableCase(
        "writes wait in the outbox, and edits share an entry", told(writes),
        "2 waiting, 1 replaced; page 1 2, settled 0"),
      PortableCase(
        "an answer settles what was sent", told(answers),
        "1 acknowledged, 1 refused, 1 received; left 1, cursor 5, 3 records"),
      PortableCase(
        "what was sent never changes", told(sentEntries),
        "page 1, then 1 2; the first is as it was: true"),
      PortableCase(
        "an action is undone field by field", told(undo),
        "300 again; the drink is gone: true; left 0 actions"),
      PortableCase(
        "an action is undone for some kinds of record, and the rest for itself",
        told(undoOfKinds), "300 again, the setting stays: true; then it is undone: true"),
      PortableCase(
        "deletions of most records wait for a word", told(massDeletion),
        "15 of 24 held, 0 sent; then 15 sent"),
      PortableCase(
        "a replica in memory syncs", told(sync),
        "3 pushed, 1 pulled, 1 exchanges; left 0, 4 records"),
      PortableCase(
        "what was stored is there after loading it again", told(loading),
        "same: true; rolled back: true; a row that cannot be read is damage: true"),
      PortableCase("the rows of a replica", told(fingerprint), "7362331eb4a6bfd3"),
    ]
  }

  private static func told(_ body: () throws(ReplicaError) -> String) -> String {
    do { return try body() } catch { return "failed: \(error)" }
  }

  private static func writes() throws(ReplicaError) -> String {
    var device = Device()
    try device.run { work throws(ReplicaError) in
      try work.save(drink(1, 250))
      try work.save(drink(2, 250))
      try work.save(drink(1, 300))
    }
    let changes = try device.commit()
    let page = try device.page()
    return "\(changes.outbox.stored.count) waiting, \(changes.outbox.removed.count) replaced; "
      + "page \(text(page)), settled \(page.segment?.settledThrough ?? 9)"
  }

  private static func answers() throws(ReplicaError) -> String {
    var device = Device()
    try device.run { work throws(ReplicaError) in
      try work.save(drink(1, 250))
      try work.save(drink(2, 250))
    }
    let page = try device.page()
    let applied = try device.apply(
      page, refusing: [1], receiving: [record(of: drink(3, 100), at: 1_000_000)])
    let contents = device.tables.contents
    return "\(applied.acknowledged) acknowledged, \(applied.refused) refused, "
      + "\(contents.records.stored.count - 2) received; left \(contents.outbox.stored.count), "
      + "cursor \(device.tables.state.cursor?.sequence ?? 0), "
      + "\(contents.records.stored.count) records"
  }

  private static func sentEntries() throws(ReplicaError) -> String {
    var device = Device()
    try device.run { work throws(ReplicaError) in try work.save(drink(1, 250)) }
    let first = try device.page()
    try device.run { work throws(ReplicaError) in try work.save(drink(1, 300)) }
    let second = try device.page()
    return "page \(text(first)), then \(text(second)); "
      + "the first is as it was: \(first.offers.first == second.offers.first)"
  }

  private static func undo() throws(ReplicaError) -> String {
    var device = Device()
    try device.run { work throws(ReplicaError) in
      work.beginAction()
      try work.save(drink(1, 300))
      try work.endAction(.water)
      work.beginAction()
      try work.save(drink(1, 500))
      try work.endAction(.editWater)
    }
    var texts: [String] = []
    try device.run { work throws(ReplicaError) in
      let edit = try work.undo(nil)
      let entry = try work.records.all(.water) { try? WaterEntry($0) }.first
      texts.append("\(edit?.isUndone == true ? entry?.intake.millilitres ?? 0 : 0) again")
      let first = try work.undo(.water)
      let left = try work.records.liveCount()
      texts.append("the drink is gone: \(first?.isUndone == true && left == 0)")
    }
    return texts.joined(separator: "; ")
      + "; left \(device.tables.contents.actions.stored.count) actions"
  }

  private static func undoOfKinds() throws(ReplicaError) -> String {
    var device = Device()
    try device.run { work throws(ReplicaError) in
      work.beginAction()
      try work.save(drink(1, 300))
      try work.endAction(.water)
      work.beginAction()
      try work.save(drink(1, 500))
      try work.setPreference("unit", to: "ml")
      try work.endAction(.import)
      work.beginAction()
      try work.setPreference("target", to: "18")
      try work.endAction(.setting)
    }
    var text = ""
    try device.run { work throws(ReplicaError) in
      _ = try work.undo(of: [.water])
      let entry = try work.records.all(.water) { try? WaterEntry($0) }.first
      let hasSettings = try work.records.liveCount() == 3
      text = "\(entry?.intake.millilitres ?? 0) again, the setting stays: \(hasSettings)"
      _ = try work.undo(nil)
      text += "; then it is undone: \(try work.undo(.import)?.isUndone == true)"
    }
    return text
  }

  private static func massDeletion() throws(ReplicaError) -> String {
    var device = Device()
    try device.run { work throws(ReplicaError) in
      for number in 1...24 { try work.save(drink(UInt8(number), 100)) }
    }
    let first = try device.page()
    _ = try device.apply(first, refusing: [], receiving: [])
    try device.run { work throws(ReplicaError) in
      for number in 1...15 { _ = try work.delete(key(UInt8(number))) }
    }
    let held = try device.hold(areAllowed: false)
    let none = try device.page()
    _ = try device.hold(areAllowed: true)
    let all = try device.page()
    return "\(held?.count ?? 0) of \(held?.of ?? 0) held, \(none.offers.count) sent; "
      + "then \(all.offers.count) sent"
  }

  private static func sync() throws(ReplicaError) -> String {
    var device = Device()
    try device.run { work throws(ReplicaError) in
      for number in 1...3 { try work.save(drink(UInt8(number), 100)) }
    }
    _ = try device.commit()
    var cycle = SyncCycle()
    var actions = cycle.begin()
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .perform(let request):
        let reply = try device.perform(request)
        actions += cycle.handle(.stored(reply), at: device.now)
      case .send(.exchange(let request), _):
        let records = [record(of: try drink(9, 75), at: 0)]
        let answer = device.answer(to: request, refusing: [], receiving: records)
        actions += cycle.handle(
          .answered(.exchange(answer), at: Reading(now: device.now, waited: 0)), at: device.now)
      case .finish(.success(let report)):
        let contents = device.tables.contents
        return "\(report.pushed) pushed, \(report.pulled) pulled, \(report.exchanges) exchanges; "
          + "left \(contents.outbox.stored.count), \(contents.records.stored.count) records"
      case .report: break
      case .send, .backOff, .finish(.failure): return "failed"
      }
    }
    return "stopped"
  }

  private static func loading() throws(ReplicaError) -> String {
    var device = Device()
    try device.run { work throws(ReplicaError) in try work.save(drink(1, 250)) }
    let kept = device.tables.contents
    device.tables = MemoryTables(name: "case", loading: kept)
    let isSame = device.tables.contents == kept
    var work = device.work()
    try work.save(drink(2, 250))
    device.tables.rollBack()
    let isBack = device.tables.contents == kept

    var broken = kept
    broken.records.stored = kept.records.stored.map {
      RecordRow(key: $0.key, body: [255], listing: $0.listing)
    }
    device.tables = MemoryTables(name: "case", loading: broken)
    work = device.work()
    // Whoever goes on after the error commits nothing all the same.
    let isRead = (try? work.delete(key(1))) != nil
    let isTaken = (try? device.tables.takeChanges()) != nil
    return "same: \(isSame); rolled back: \(isBack); "
      + "a row that cannot be read is damage: \(!isRead && !isTaken)"
  }

  /// A hash over all rows after a longer history, to the byte.
  private static func fingerprint() throws(ReplicaError) -> String {
    var device = Device()
    var random = CaseRandom(seed: 9)
    for step in 0..<40 {
      let number = UInt8(random.below(12))
      let drunk = try drink(number, 50 + Int(random.below(9)) * 50)
      try device.run { work throws(ReplicaError) in
        if step % 5 == 4 {
          _ = try work.delete(key(number))
        } else {
          try work.save(drunk)
        }
      }
      if step % 7 == 6 {
        let page = try device.page()
        let other = record(of: try drink(number, 75), at: Int64(step) * 100_000)
        _ = try device.apply(page, refusing: page.offers.count > 2 ? [1] : [], receiving: [other])
      }
    }
    var hash = FNV1a()
    let contents = device.tables.contents
    for row in contents.records.stored { hash.add(row.body) }
    for row in contents.outbox.stored {
      hash.add(bigEndian: UInt64(bitPattern: row.sequence))
      hash.add(bigEndian: row.number ?? 0)
      if let offer = row.offer { hash.add(offer) }
    }
    for row in contents.tokens.stored { hash.add(bigEndian: row.token) }
    return Hexadecimal.encoded(hash.value)
  }

  private static func text(_ page: OutboxPage) -> String {
    (page.segment?.numbers ?? []).map { "\($0)" }.joined(separator: " ")
  }

  private static func key(_ number: UInt8) -> RecordKey {
    RecordKey(kind: .water, id: [UInt8](repeating: number, count: 16))
  }

  private static func drink(_ number: UInt8, _ millilitres: Int) throws(ReplicaError) -> WaterEntry
  {
    guard let id = RecordUUID(bytes: [UInt8](repeating: number, count: 16)),
      let intake = WaterEntry.Intake(
        at: WallTime(milliseconds: 1_700_000_000_000), millilitres: millilitres)
    else { throw .invalid("no drink") }
    return WaterEntry(id: id, intake: intake)
  }

  /// A drink as another device wrote it.
  private static func record(of drink: WaterEntry, at milliseconds: Int64) -> [UInt8] {
    let stamp = Stamp(
      time: HybridTime(WallTime(milliseconds: 1_700_000_000_000 + milliseconds)),
      replica: ReplicaID(rawValue: 8))
    var record = Record(key: RecordKey(kind: .water, id: drink.id.bytes))
    record.set(Register(field: Register.deletedField, stamp: stamp, value: []))
    record.set(
      Register(field: WaterField.intake, stamp: stamp, value: WaterField.encode(drink.intake)))
    return record.encoded
  }
}

/// A replica in memory whose owner keeps nothing, and whose clock goes on by a minute a time.
private struct Device {
  var tables = MemoryTables(name: "case")
  var now = WallTime(milliseconds: 1_700_000_000_000)

  init() { tables.state.replica = ReplicaID(rawValue: 7) }

  func work() -> UnitOfWork<MemoryTables> {
    // Predictable, so that all platforms compute the same.
    UnitOfWork(tables, now: now) { UInt64(bitPattern: now.milliseconds) }
  }

  mutating func run(
    _ body: (inout UnitOfWork<MemoryTables>) throws(ReplicaError) -> Void
  ) throws(ReplicaError) {
    now = now.advanced(by: 60_000)
    var work = work()
    try body(&work)
  }

  mutating func commit() throws(ReplicaError) -> ReplicaChanges { try tables.takeChanges() }

  /// Carries out a request, without writing if that does.
  mutating func perform(_ request: StoreRequest) throws(ReplicaError) -> StoreReply {
    var work = work()
    if let reply = try work.replyWithoutWriting(to: request) {
      guard try commit().isEmpty else { throw .invalid("it wrote") }
      return reply
    }
    let reply = try work.reply(to: request)
    _ = try commit()
    return reply
  }

  mutating func page() throws(ReplicaError) -> OutboxPage {
    now = now.advanced(by: 60_000)
    return try work().outbox.page(after: 0)
  }

  mutating func hold(areAllowed: Bool) throws(ReplicaError) -> HeldDeletions? {
    var work = work()
    guard case .held(let held) = try work.reply(to: .holdMassDeletion(areAllowed: areAllowed))
    else { return nil }
    return held
  }

  /// Stores the answer of a server that took all of a page but what it refused.
  mutating func apply(
    _ page: OutboxPage, refusing refused: [Int], receiving records: [[UInt8]]
  ) throws(ReplicaError) -> AppliedAnswer {
    let request = ExchangeRequest(
      cursor: tables.state.cursor, offers: page.offers, segment: page.segment, deviceTime: now)
    let answer = answer(to: request, refusing: refused, receiving: records)
    var work = work()
    return try work.apply(
      answer, to: request, page: page, at: Reading(now: now, waited: 0))
  }

  func answer(
    to request: ExchangeRequest, refusing refused: [Int], receiving records: [[UInt8]]
  ) -> ExchangeResponse {
    let next = (request.cursor?.sequence ?? 0) + 5
    return ExchangeResponse(
      refusals: refused.map { Refusal(index: $0, reason: .invalid, message: "no") },
      records: records, cursor: Cursor(commit: next, sequence: next), serverTime: now,
      takenThrough: request.segment.map {
        OutboxPosition(number: $0.numbers.last ?? 0, token: $0.token)
      })
  }
}
