// SPDX-License-Identifier: Apache-2.0
// Reads the native format: the seal first, then each line, validated by its kind's rules.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// Reads files that `AtrestExport` writes.
package enum AtrestReader {
  /// Reads a file; nil if it is not in this format.
  ///
  /// - Parameter bytes: The whole file. It may be arbitrary data: it is fully validated, checksum
  ///   included.
  /// - Throws: `PortabilityError`. Nothing of the file may then be used.
  /// - Complexity: O(n); memory several times the file's size.
  package static func read(_ bytes: [UInt8]) throws(PortabilityError) -> ImportFile? {
    guard bytes.count <= Portability.Limits.fileBytes else {
      throw .tooLarge(limitBytes: Portability.Limits.fileBytes)
    }
    let bytes = Portability.withoutMark(bytes)
    guard let header = AtrestHeader(ofFile: bytes) else { return nil }
    guard (AtrestHeader.oldest...AtrestHeader.current).contains(header.version) else {
      throw .unsupportedVersion(found: header.version, current: AtrestHeader.current)
    }
    guard let madeAt = InstantText.milliseconds(header.madeAt) else {
      throw .invalidFormat(.line(1))
    }
    let (body, seal) = try opened(bytes)
    var file = ImportFile(
      format: .atrest, version: header.version, madeAt: WallTime(milliseconds: madeAt))
    var rest = body
    var number = 1
    while !rest.isEmpty {
      let line = rest.prefix { $0 != newline }
      rest = rest[min(line.endIndex + 1, rest.endIndex)...]
      number += 1
      let place = ImportPlace.line(number)
      guard line.count <= Portability.Limits.lineBytes,
        let decoded = AtrestLine(Array(line))
      else { throw .invalidFormat(place) }
      if let entry = try entry(decoded, place) {
        try file.add(entry)
      } else if let kind = decoded.recordKind {
        file.leaveOut(kind)
      }
    }
    guard number - 1 == seal.count else { throw .checksumMismatch }
    return file
  }

  private static let newline = UInt8(ascii: "\n")

  /// Verifies the seal and returns the lines between header and seal.
  private static func opened(
    _ bytes: [UInt8]
  ) throws(PortabilityError) -> (ArraySlice<UInt8>, AtrestSeal) {
    var end = bytes.endIndex
    if bytes.last == newline { end -= 1 }
    guard let headerEnd = bytes.firstIndex(of: newline), headerEnd < end,
      let lastBreak = bytes[..<end].lastIndex(of: newline),
      end - lastBreak <= Portability.Limits.lineBytes,
      let seal = AtrestSeal(Array(bytes[(lastBreak + 1)..<end]))
    else { throw .cutShort }
    guard Hexadecimal.encoded(PortableSHA256.hash(Array(bytes[...lastBreak]))) == seal.sha256 else {
      throw .checksumMismatch
    }
    return (bytes[(headerEnd + 1)..<(lastBreak + 1)], seal)
  }

  /// nil for a record that a replica may have received from another device or a newer server, but
  /// that this build may not write. One odd record must not make a whole backup unreadable.
  private static func entry(
    _ line: AtrestLine, _ place: ImportPlace
  ) throws(PortabilityError) -> ImportEntry? {
    guard let kind = line.recordKind, let id = id(of: line, kind) else {
      throw .invalidFormat(place)
    }
    let key = RecordKey(kind: kind, id: id)
    var content = Content(kind: kind, place: place)
    try content.read(line)
    let acted = try content.stamp(line.stamps, Register.deletedField)
    var values: [ImportEntry.Value] = []
    for (field, bytes) in content.fields.sorted(by: { $0.key < $1.key }) {
      values.append(
        ImportEntry.Value(field, bytes, stamp: try content.stamp(line.stamps, field)))
    }
    guard values.count <= Record.Limits.registers else { throw .invalidFormat(place) }
    guard !values.isEmpty, isWritable(key, values) else { return nil }
    return ImportEntry(
      place: place, key: key, values: values, acted: acted, instants: content.instants)
  }

  private static func id(of line: AtrestLine, _ kind: RecordKind) -> [UInt8]? {
    let id: [UInt8]?
    switch (line.kindNumber == nil ? line.id : nil, line.idBytes) {
    case (let text?, nil):
      switch kind {
      case .session, .water: id = RecordUUID(uuidString: text)?.bytes
      case .preference, .entitlement: id = Array(text.utf8)
      default: id = nil
      }
    case (nil, let base64?): id = StrictBase64.padded(base64.utf8)
    default: id = nil
    }
    let limit = Record.Limits.idBytes + (kind == .conflict ? 32 : 0)
    guard let id, (1...limit).contains(id.count) else { return nil }
    return id
  }

  /// Whether an import may write it, by the rules that a server applies.
  private static func isWritable(_ key: RecordKey, _ values: [ImportEntry.Value]) -> Bool {
    // Kinds are enumerations on the wire, limited to 31 bits.
    guard key.kind.rawValue <= UInt32(Int32.max) else { return false }
    if key.kind == .entitlement {
      guard values.count == 1, let jws = ImportEntry.jws(values) else { return false }
      return EntitlementField.record(jws: jws)?.key == key
    }
    // Journal entries are parsed for their form but not imported.
    guard key.kind != .conflict else { return true }
    let stamp = Stamp(time: .latest, replica: ReplicaID(rawValue: .max))
    let deletion = Register(field: Register.deletedField, stamp: stamp, value: [])
    let registers =
      [deletion] + values.map { Register(field: $0.field, stamp: stamp, value: $0.bytes) }
    guard Record.mayHave(values.map { ($0.field, $0.bytes) }, of: key),
      let record = Record(key: key, registers: registers)
    else { return false }
    do { try record.checkKindRules() } catch { return false }
    return true
  }
}

/// The decoded fields of a line.
private struct Content {
  let kind: RecordKind
  let place: ImportPlace
  var fields: [FieldNumber: [UInt8]] = [:]
  var instants: ClosedRange<WallTime>?

  init(kind: RecordKind, place: ImportPlace) {
    self.kind = kind
    self.place = place
  }

  mutating func read(_ line: AtrestLine) throws(PortabilityError) {
    if let span = line.span {
      try expect(kind == .session)
      guard let outcome = Session.Outcome(fileWord: span.outcome) else { throw .newer(place) }
      let start = try instant(span.start)
      var end: WallTime?
      if let text = span.end { end = try instant(text) }
      guard let span = Session.Span(start: start, end: end, outcome: outcome) else {
        throw .impossible(place, end.map { $0 < start } ?? false ? .endBeforeStart : .endMissing)
      }
      fields[SessionField.span] = SessionField.encode(span)
      instants = start...(end ?? start)
    }
    if let minutes = line.targetMinutes {
      try expect(kind == .session)
      guard Session.targetRange.contains(minutes) else {
        throw .impossible(place, .targetOutOfRange)
      }
      fields[SessionField.target] = SessionField.encode(targetMinutes: minutes)
    }
    if let drunk = line.intake {
      try expect(kind == .water)
      let at = try instant(drunk.at)
      guard let intake = WaterEntry.Intake(at: at, millilitres: drunk.millilitres) else {
        throw .impossible(place, .amountOutOfRange)
      }
      fields[WaterField.intake] = WaterField.encode(intake)
      instants = at...at
    }
    if let value = line.value {
      try expect(
        kind == .preference && value.utf8.count <= PreferenceField.limitBytes
          && !value.utf8.contains(0))
      fields[PreferenceField.value] = PreferenceField.encode(value)
    }
    if let transaction = line.signedTransaction {
      try expect(kind == .entitlement && transaction.utf8.count <= SignedTransaction.limitBytes)
      guard let fact = EntitlementField.record(jws: Array(transaction.utf8)),
        let value = fact[EntitlementField.signedTransaction]?.value
      else { throw .invalidFormat(place) }
      fields[EntitlementField.signedTransaction] = value
    }
    try readRaw(line.raw ?? [:])
  }

  private mutating func readRaw(_ raw: [String: String]) throws(PortabilityError) {
    for (name, base64) in raw {
      guard let field = FieldNumber(name), String(field) == name,
        RecordFields.isUsable(field), fields[field] == nil,
        let value = StrictBase64.padded(base64.utf8),
        value.count <= Record.Limits.valueBytes
      else { throw .invalidFormat(place) }
      fields[field] = value
    }
  }

  /// The stamp of a field, if the file has stamps. A malformed one is an error.
  func stamp(
    _ stamps: [String: String]?, _ field: FieldNumber
  ) throws(PortabilityError) -> Stamp? {
    guard let text = stamps?[FieldName.text(field, of: kind)] else { return nil }
    guard let stamp = StampText.stamp(text) else { throw .invalidFormat(place) }
    return stamp
  }

  private func expect(_ condition: Bool) throws(PortabilityError) {
    guard condition else { throw .invalidFormat(place) }
  }

  private func instant(_ text: String) throws(PortabilityError) -> WallTime {
    guard let milliseconds = InstantText.milliseconds(text), milliseconds > 0 else {
      throw .invalidFormat(place)
    }
    return WallTime(milliseconds: milliseconds)
  }
}
