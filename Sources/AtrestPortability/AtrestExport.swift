// SPDX-License-Identifier: Apache-2.0
// Writes the native export format: every live record of a replica.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Crypto
import Foundation

/// The native export: JSON lines, complete, with a checksum line at the end.
public enum AtrestExport {
  /// The newest version that is read. Written is the oldest one that can say what a file holds.
  public static let version = AtrestHeader.current

  /// Writes a file.
  ///
  /// Deleted records are left out. Unknown fields and kinds are included.
  /// - Parameters:
  ///   - records: A replica's records, in the order in which to write them.
  ///   - madeAt: The time of the export.
  ///   - program: The program's version, informational.
  ///   - stamps: Whether to include each field's stamp. A later import can then tell which side is
  ///     newer.
  ///   - since: Leaves out fasts that ended earlier and water drunk earlier. Records without a time
  ///     are always included.
  ///   - inWords: How a record reads whose kind is an app's own; nil for one that nobody here has
  ///     words for. Not asked about the kinds of this library.
  /// - Returns: The file, and the number of records per kind.
  /// - Complexity: O(n) time and memory.
  public static func write(
    _ records: some Sequence<Record>, madeAt: WallTime, program: String, stamps: Bool = false,
    since: WallTime? = nil, inWords: (Record) -> RecordInWords? = { _ in nil }
  ) throws -> (bytes: [UInt8], counts: [RecordKind: Int]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // For values in words. The members of the format itself are written out.
    encoder.keyEncodingStrategy = .convertToSnakeCase
    var body: [UInt8] = []
    var counts: [RecordKind: Int] = [:]
    var named: [String: Int] = [:]
    var version = AtrestHeader.oldest
    for record in records where !record.isDeleted {
      let content = Content(record)
      if let since, let last = content.last, last < since { continue }
      let line = content.line(of: record, stamps: stamps)
      counts[record.key.kind, default: 0] += 1
      if let words = KindName.isKnown(record.key.kind) ? nil : inWords(record),
        let bytes = Self.encoded(line, words, encoder)
      {
        version = AtrestHeader.withWords
        named[words.kind, default: 0] += 1
        body += bytes
      } else {
        named[line.kind, default: 0] += 1
        body += try encoder.encode(line)
      }
      body.append(UInt8(ascii: "\n"))
    }
    let header = AtrestHeader(
      version: version, madeAt: madeAt, program: program, records: named)
    var bytes = Array(try encoder.encode(header)) + [UInt8(ascii: "\n")]
    bytes += body
    let seal = AtrestSeal(
      count: counts.values.reduce(0, +), sha256: Hexadecimal.encoded(SHA256.hash(data: bytes)))
    bytes += try encoder.encode(seal)
    bytes.append(UInt8(ascii: "\n"))
    return (bytes, counts)
  }

  /// A line with words; nil if they cannot be written, or the line would be too long to be read
  /// again. The stored fields alone always fit.
  private static func encoded(
    _ line: AtrestLine, _ words: RecordInWords, _ encoder: JSONEncoder
  ) -> Data? {
    guard let named = line.named(words), let bytes = try? encoder.encode(named),
      bytes.count <= Portability.Limits.lineBytes
    else { return nil }
    return bytes
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
      if line.id == nil { line.idBytes = Data(record.key.id).base64EncodedString() }
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
            (String($0.field), Data($0.value).base64EncodedString())
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
