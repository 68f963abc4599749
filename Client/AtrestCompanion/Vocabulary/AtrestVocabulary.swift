// SPDX-License-Identifier: Apache-2.0
// Words for the kinds that come with the library: fasts, water, settings, purchases, the journal.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire

/// Words for fasts, water, settings, purchases and journal entries.
public struct AtrestVocabulary: KindVocabulary {
  /// The vocabulary.
  public init() {}

  /// The kinds that come with the library.
  public var kinds: Set<RecordKind> { [.session, .water, .preference, .entitlement, .conflict] }

  /// `session`, `water`, `preference`, `entitlement` or `conflict`.
  public func name(of kind: RecordKind) -> String {
    switch kind {
    case .session: "session"
    case .water: "water"
    case .preference: "preference"
    case .entitlement: "entitlement"
    default: "conflict"
    }
  }

  /// A noun such as `a fast`.
  public func noun(for kind: RecordKind) -> String { (kind.noun ?? .unknown).one }

  /// The same for several of them.
  public func nouns(for kind: RecordKind) -> String { (kind.noun ?? .unknown).many }

  /// `span`, `target`, `intake` or `value`.
  public func name(of field: FieldNumber, in kind: RecordKind) -> String? {
    switch (kind, field) {
    case (.session, SessionField.span): "span"
    case (.session, SessionField.target): "target"
    case (.water, WaterField.intake): "intake"
    case (.preference, PreferenceField.value): "value"
    default: nil
    }
  }

  /// The UUID of a fast or of water; a setting's key, or a purchase's, as it is.
  public func id(of key: RecordKey) -> String? {
    switch key.kind {
    case .session, .water: RecordUUID(bytes: key.id)?.uuidString.lowercased()
    case .preference, .entitlement:
      String(validating: key.id, as: UTF8.self).map(\.escapedForTerminal)
    default: nil
    }
  }

  /// A fast's span, a drink's amount and time, or a setting's key.
  public func detail(of record: Record, _ context: CommandContext) -> String? {
    switch record.key.kind {
    case .session: (try? Session(record)).map { Self.words($0.span, context) }
    case .water: (try? WaterEntry(record)).map { Self.words($0.intake, context) }
    case .preference: id(of: record.key) ?? ShortID.hex(record.key.id)
    default: nil
    }
  }

  /// A value in words, such as `target 16h`.
  public func text(
    of register: Register, in kind: RecordKind, _ context: CommandContext
  ) -> String? {
    switch FieldValue(register, of: kind) {
    case .span(let span):
      let words = Self.words(span, context)
      return span.outcome == .active
        ? Language.text("going on \(words)", de: "läuft \(words)")
        : "\(words), \(span.outcome.title)"
    case .targetMinutes(let minutes):
      let target = DurationText.text(minutes: minutes)
      return Language.text("target \(target)", de: "Ziel \(target)")
    case .intake(let intake): return Self.words(intake, context)
    case .text(let text): return "“\(text.escapedForTerminal)”"
    case .deleted, .unknown: return nil
    }
  }

  /// A value by its parts: `start`, `end` and `outcome`; `target_minutes`; `at` and `millilitres`;
  /// or `text`.
  public func object(of register: Register, in kind: RecordKind) -> (any Encodable)? {
    switch FieldValue(register, of: kind) {
    case .span(let span):
      Parts(start: span.start, end: span.end, outcome: span.outcome.word)
    case .targetMinutes(let minutes): Parts(targetMinutes: minutes)
    case .intake(let intake): Parts(at: intake.at, millilitres: intake.millilitres)
    case .text(let value): Parts(text: value)
    case .deleted, .unknown: nil
    }
  }

  /// The parts of a value; those that it does not have are absent.
  private struct Parts: Encodable {
    var start: WallTime?
    var end: WallTime?
    var outcome: String?
    var targetMinutes: Int?
    var at: WallTime?
    var millilitres: Int?
    var text: String?
  }
}

extension AtrestVocabulary {
  /// A span such as `20 Nov 2026, 22:30 to yesterday 14:30`, `today 4:30 to 12:30`, or `since 20
  /// Nov 2026, 22:30`.
  package static func words(_ span: Session.Span, _ context: CommandContext) -> String {
    let start = context.words(span.start)
    guard let end = span.end else {
      return Language.text("since \(start)", de: "seit \(start)")
    }
    let isOneDay = LocalDay(span.start, in: context.zone) == LocalDay(end, in: context.zone)
    let endWords = isOneDay ? context.clock(end) : context.words(end)
    return Language.text("\(start) to \(endWords)", de: "\(start) bis \(endWords)")
  }

  /// An intake such as `250 ml, today 22:30`.
  package static func words(_ intake: WaterEntry.Intake, _ context: CommandContext) -> String {
    "\(context.amount(intake.millilitres)), \(context.words(intake.at))"
  }
}
