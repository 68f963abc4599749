// SPDX-License-Identifier: Apache-2.0
// Writes the native export format: every live record of a replica.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// How a record of an app's own kind reads, encoded.
package struct EncodedWords {
  let kind: String
  let id: String
  /// A JSON object.
  let fields: [UInt8]

  package init(kind: String, id: String, fields: [UInt8]) {
    (self.kind, self.id, self.fields) = (kind, id, fields)
  }
}

/// The native export: JSON lines, complete, with a checksum line at the end.
package struct AtrestWriter {
  /// The newest version that is read. Written is the oldest one that can say what a file holds.
  package static let version = AtrestHeader.current

  private let stamps: Bool
  private let since: WallTime?
  private var body: [UInt8] = []
  private var named: [String: Int] = [:]
  private var version = AtrestHeader.oldest
  /// The number of records per kind.
  package private(set) var counts: [RecordKind: Int] = [:]

  /// - Parameters:
  ///   - stamps: Whether to include each field's stamp.
  ///   - since: Leaves out fasts that ended earlier and water drunk earlier.
  package init(stamps: Bool = false, since: WallTime? = nil) {
    (self.stamps, self.since) = (stamps, since)
  }

  /// Adds a record, unless it is deleted. Unknown fields and kinds are included.
  ///
  /// - Parameter inWords: How a record of an app's own kind reads. A line that has words and could
  ///   not be read again is written without; the stored fields alone always fit.
  package mutating func add(_ record: Record, inWords: (Record) -> EncodedWords? = { _ in nil }) {
    guard !record.isDeleted else { return }
    let content = Content(record)
    if let since, let last = content.last, last < since { return }
    let line = content.line(of: record, stamps: stamps)
    counts[record.key.kind, default: 0] += 1
    if let words = KindName.isKnown(record.key.kind) ? nil : inWords(record),
      let bytes = line.named(words)?.encoded, bytes.count <= Portability.Limits.lineBytes,
      AtrestLine(bytes) != nil
    {
      version = AtrestHeader.withWords
      named[words.kind, default: 0] += 1
      body += bytes
    } else {
      named[line.kind, default: 0] += 1
      body += line.encoded
    }
    body.append(UInt8(ascii: "\n"))
  }

  /// The file.
  ///
  /// - Parameters:
  ///   - madeAt: The time of the export.
  ///   - program: The program's version, informational.
  package func file(madeAt: WallTime, program: String) -> [UInt8] {
    let newline = [UInt8(ascii: "\n")]
    var bytes = AtrestHeader.encoded(
      version: version, madeAt: madeAt, program: program, records: named)
    bytes += newline + body
    let seal = AtrestSeal(count: counts.values.reduce(0, +), over: bytes)
    return bytes + seal.encoded + newline
  }

  /// The decoded part of a record: only what re-encodes to the very same bytes.
  private struct Content {
    var session: Session?
    var water: WaterEntry?
    var preference: String?
    var transaction: String?

    init(_ record: Record) {
      func holds(_ values: [(FieldNumber, [UInt8])]) -> Bool {
        values.allSatisfy { record[$0.0]?.value == $0.1 }
      }
      switch record.key.kind {
      case .session:
        guard let session = try? Session(record),
          holds([
            (SessionField.span, SessionField.encode(session.span)),
            (SessionField.target, SessionField.encode(targetMinutes: session.targetMinutes)),
          ])
        else { return }
        self.session = session
      case .water:
        guard let water = try? WaterEntry(record),
          holds([(WaterField.intake, WaterField.encode(water.intake))])
        else { return }
        self.water = water
      case .preference:
        guard let value = try? PreferenceField.value(of: record),
          holds([(PreferenceField.value, PreferenceField.encode(value))])
        else { return }
        preference = value
      case .entitlement:
        guard let jws = try? EntitlementField.jws(of: record),
          let text = String(validating: jws, as: UTF8.self),
          EntitlementField.record(jws: jws) == record
        else { return }
        transaction = text
      default: break
      }
    }

    /// The record's last time; nil if it has none.
    var last: WallTime? {
      session.map { $0.span.end ?? WallTime(milliseconds: .max) } ?? water?.intake.at
    }

    private var understood: Set<FieldNumber> {
      if session != nil { return [SessionField.span, SessionField.target] }
      if water != nil { return [WaterField.intake] }
      if preference != nil { return [PreferenceField.value] }
      if transaction != nil { return [EntitlementField.signedTransaction] }
      return []
    }

    func line(of record: Record, stamps: Bool) -> AtrestLine {
      let kind = record.key.kind
      var line = AtrestLine(kind: kind)
      switch kind {
      case .session, .water: line.id = RecordUUID(bytes: record.key.id)?.uuidString.lowercased()
      case .preference, .entitlement: line.id = String(validating: record.key.id, as: UTF8.self)
      default: break
      }
      if line.id == nil { line.idBytes = StrictBase64.encoded(record.key.id) }
      if let session {
        line.span = AtrestLine.Span(
          start: TimeText.iso(session.span.start), end: session.span.end.map(TimeText.iso),
          outcome: session.span.outcome.fileWord)
        line.targetMinutes = session.targetMinutes
      }
      if let intake = water?.intake {
        line.intake = AtrestLine.Intake(
          at: TimeText.iso(intake.at), millilitres: intake.millilitres)
      }
      line.value = preference
      line.signedTransaction = transaction

      let special = [Register.deletedField, Register.pruneFloorField]
      let rest = record.registers.filter {
        !special.contains($0.field) && !understood.contains($0.field)
      }
      if !rest.isEmpty {
        line.raw = Dictionary(
          uniqueKeysWithValues: rest.map {
            (String($0.field), StrictBase64.encoded($0.value))
          })
      }
      if stamps, transaction == nil {
        line.stamps = Dictionary(
          uniqueKeysWithValues: record.registers
            .filter { $0.field != Register.pruneFloorField }
            .map { (FieldName.text($0.field, of: kind), StampText.text($0.stamp)) })
      }
      return line
    }
  }
}
