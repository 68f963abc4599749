// SPDX-License-Identifier: Apache-2.0
// What the sync screens show: the pairing, what waits, and what lost against a later write.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import TrunkDomain

extension WebCore {
  func replica(_ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let state = records.tables.state
    return try told { () throws(ReplicaError) in
      let refused = records.tables.refusedRows()
      let held = refused.count { $0.reason == .massDeletion }
      let moot = try records.outbox.mootCount()
      let all = records.tables.outboxCount() - moot
      let stuck = refused.count - moot
      return .members(
        ("isPaired", .bool(state.token != nil)), ("account", state.account.map { .text($0) }),
        ("server", state.server.map { .text($0) }),
        ("replica", .text(Hexadecimal.encoded(state.replica.rawValue))),
        ("lastSync", state.lastSync.map { .time(state.serverOffset.shown($0)) }),
        ("waiting", .count(max(0, all - max(0, stuck)))),
        ("refused", .count(max(0, stuck - held))), ("held", .count(held)),
        ("conflicts", .count(try records.conflicts().count)),
        ("ended", state.hasAccessEnded ? .text(BrowserWords.sentence(of: .accessEnded)) : nil),
        ("serverOffset", .integer(state.serverOffset.milliseconds)),
        ("records", .count(try records.records.liveCount())))
    }
  }

  func conflicts(_ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let settings = try settings(of: records)
    let conflicts = try conflicts(in: records)
    let isOfGarden = conflicts.contains { $0.key.kind == .sprout }
    let garden = isOfGarden ? try garden(in: records) : nil
    func title(_ key: RecordKey) -> String {
      if key.kind == .preference,
        let setting = Setting(rawValue: String(decoding: key.id, as: UTF8.self)),
        let word = word(setting)
      {
        return word.text
      }
      guard key.kind == .sprout, let id = RecordUUID(bytes: key.id), let sprout = garden?.sprout(id)
      else { return noun(key.kind).one }
      return quoted(sprout)
    }
    return .members(
      (
        "conflicts",
        .array(
          conflicts.map { conflict in
            .members(
              ("id", .text(Hexadecimal.encoded(conflict.journalKey.id))),
              ("kind", .text(title(conflict.key))),
              ("record", .text(Hexadecimal.encoded(conflict.key.id))),
              ("field", .count(Int(conflict.field))),
              ("lost", .text(setAside(conflict, settings))),
              ("kept", .text(text(of: conflict.kept, conflict.key.kind, settings))),
              ("at", .text(moment(conflict.noticed))),
              ("device", .text(Hexadecimal.encoded(conflict.lost.stamp.replica.rawValue))),
              ("keptDevice", .text(Hexadecimal.encoded(conflict.kept.stamp.replica.rawValue))))
          })
      ))
  }

  /// What the settings call one that they show.
  private func word(_ setting: Setting) -> Word? {
    switch setting {
    case .target: .settingsFastingTarget
    case .waterUnit: .settingsHydrationUnit
    case .quickAdd: .settingsHydrationQuickAdd
    case .vigil, .notice, .transitionDismissed: nil
    }
  }

  func conflicts(in work: Work) throws(CoreFailure) -> [Conflict] {
    try told { () throws(ReplicaError) in try work.conflicts() }
  }

  /// What records of a kind are called.
  func noun(_ kind: RecordKind) -> Noun { kind.noun ?? kind.gardenNoun ?? .unknown }

  /// What was set aside: all that an action wrote, if it lost whole.
  private func setAside(_ conflict: Conflict, _ settings: Settings) -> String {
    let values = conflict.values.isEmpty ? [conflict.lost] : conflict.values
    return values.map { text(of: $0, conflict.key.kind, settings) }.joined(separator: ", ")
  }

  /// A value for people, if this version can read it.
  private func text(
    of register: Register, _ kind: RecordKind, _ settings: Settings
  ) -> String {
    if register.field == Register.deletedField {
      return register.value == Register.deletedValue
        ? Language.text("deleted", de: "gelöscht")
        : Language.text("not deleted", de: "nicht gelöscht")
    }
    var record = Record(key: RecordKey(kind: kind, id: Array(repeating: 0, count: 16)))
    record.set(register)
    switch kind {
    case .session:
      // A fast is read with both of its fields; the other one's value does not matter.
      let isSpan = register.field == SessionField.span
      guard let span = Session.Span(start: WallTime(milliseconds: 1), end: nil, outcome: .active)
      else { break }
      record.set(
        Register(
          field: isSpan ? SessionField.target : SessionField.span, stamp: register.stamp,
          replaced: nil,
          value: isSpan
            ? SessionField.encode(targetMinutes: 1) : SessionField.encode(span)))
      if let session = try? Session(record) {
        return isSpan ? text(of: session.span) : DurationText.text(minutes: session.targetMinutes)
      }
    case .water:
      if let entry = try? WaterEntry(record) {
        let amount = AmountText.text(
          millilitres: entry.intake.millilitres, unit: settings.waterUnit)
        return "\(amount), \(TimeText.clock(entry.intake.at, in: environment.zone))"
      }
    case .preference:
      if let value = try? PreferenceField.value(of: record) { return value }
    default: if let words = gardenText(of: register, kind) { return words }
    }
    return Language.text(
      "a value that this version cannot read", de: "ein Wert, den diese Version nicht lesen kann")
  }

  private func text(of span: Session.Span) -> String {
    let start = moment(span.start)
    let end = span.end.map(moment) ?? Language.text("now", de: "jetzt")
    let words = Language.text("\(start) to \(end)", de: "\(start) bis \(end)")
    return switch span.outcome {
    case .active: words
    case .completed: Language.text("\(words), completed", de: "\(words), abgeschlossen")
    case .abandoned: Language.text("\(words), let go", de: "\(words), losgelassen")
    }
  }

  /// A day and its time: `3 Aug 2026, 20:15`.
  func moment(_ time: WallTime) -> String {
    let day = TimeText.day(LocalDay(time, in: environment.zone))
    return "\(day), \(TimeText.clock(time, in: environment.zone))"
  }
}
