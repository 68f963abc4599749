// SPDX-License-Identifier: Apache-2.0
// Fuzzes imported files: the iOS app's, the native format, and rows of other apps.

import AtrestDomain
import AtrestPortability
import AtrestReplication
import AtrestWire
import Foundation

extension FuzzTarget {
  /// A file to import. A refusal has a message. Imported data can be stored and written, and reads
  /// back the same.
  static let importing = FuzzTarget(name: "import", limitBytes: 4096) { bytes in
    if let broken = try brokenParsingLaw(bytes) { throw BrokenLaw(description: broken) }
  } seeds: {
    let sessions =
      #"{"id":"4B1E4E9A-3C0F-4B8E-9D0A-0C6D5A4F0001","start":"2025-01-01T20:00:00Z","#
      + #""end":"2025-01-02T12:00:00Z","targetDurationHours":16}"#
    return [
      (
        "export",
        #"{"version":1,"generatedAt":"2025-01-03T00:00:00Z","payload":{"sessions":[\#(sessions)]},"checksum":""}"#
      ),
      (
        "state",
        #"{"sessions":[\#(sessions)],"active":{"start":"2025-01-03T20:00:00Z","lastEvent":"2025-01-03T21:00:00Z"},"completedCount":1}"#
      ),
      (
        "water",
        #"[{"id":"4B1E4E9A-3C0F-4B8E-9D0A-0C6D5A4F0002","date":"2025-01-03T20:00:00Z","amountMilliliters":250}]"#
      ),
      (
        "rows",
        "Start;End;Duration;Goal\n25.04.2026 19:00;26.04.2026 11:30;16,5;16\n"
          + "4/26/26 8:15 PM;\"Apr 27, 2026 at 12:00\";;\n"
      ),
      (
        "json",
        #"{"fasts":[{"startDate":761850000,"endDate":761907600.25,"targetInterval":57600},"#
          + #"{"startDate":"2026-04-25T19:00:00Z","endDate":null}],"mood":[{"x":1.5e3}]}"#
      ),
      ("line", #"{"kind":"conflict","id_base64":"AA==","raw":{"2":"EgA="}}"#),
    ].map { ($0.0, Array($0.1.utf8)) }
  }
}

/// Passes bytes to the reader unchanged, and again as the lines of a native file with a valid seal:
/// mutations never produce one.
///
/// - Returns: The broken law in words. Nil if all hold.
public func brokenParsingLaw(_ bytes: [UInt8]) throws -> String? {
  let lines = String(decoding: bytes, as: UTF8.self).split(
    separator: "\n", omittingEmptySubsequences: false
  ).map(String.init)
  for input in [bytes, Sealed.file(lines)] {
    do throws(PortabilityError) {
      let file = try Portability.parse(input)
      if let broken = try broken(file) { return broken }
    } catch {
      guard !error.userMessage.isEmpty else { return "a refusal has words" }
    }
  }
  return brokenRowsLaw(bytes)
}

/// Reads bytes as rows, of separated values or of JSON, in every order of dates. Each row is taken
/// or left out, and what is taken can be imported.
private func brokenRowsLaw(_ bytes: [UInt8]) -> String? {
  let now = WallTime(milliseconds: 1_800_000_000_000)
  for order in [nil, DateOrder.dayFirst, .monthFirst] {
    do throws(CSVProblem) {
      let json = CSVFile.looksLikeJSON(bytes)
      guard let file = json ? try CSVFile(json: bytes) : try CSVFile(bytes) else { return nil }
      let reading = CSVFile.Reading(
        columns: CSVColumns(header: file.header), order: order, zone: .utc)
      let history = try file.history(reading, now: now)
      guard history.fasts.count + history.skipped.count == history.rowCount else {
        return "each row is taken or left out"
      }
      guard let imported = try? history.importFile(),
        imported.entries.count == history.fasts.count
      else { return "what is taken of rows can be imported" }
    } catch {
      guard !error.userMessage.isEmpty else { return "a refusal has words" }
    }
  }
  return nil
}

private func broken(_ file: ImportFile) throws(PortabilityError) -> String? {
  let (stamp, none) = (
    Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 1)), Record?.none
  )
  var records: [Record] = []
  for entry in file.entries {
    let isJournal = entry.key.kind == .conflict
    guard ImportDecision(entry, stored: none) == (isJournal ? .leftOut : .new) else {
      return "what is not here is new"
    }
    let registers = entry.values.map {
      Register(field: $0.field, stamp: stamp, value: $0.bytes)
    }
    let record =
      entry.signedTransaction.flatMap { EntitlementField.record(jws: $0) }
      ?? Record(key: entry.key, registers: registers)
    guard let record else { return "an entry is a record" }
    guard (try? Record(decoding: record.encoded)) == record else {
      return "a replica can hold every entry"
    }
    guard isJournal || ImportDecision(entry, stored: record, preferFile: true) == .known else {
      return "what was brought in is known"
    }
    records.append(record)
  }
  guard Set(file.entries.map(\.key)).count == file.entries.count else {
    return "no two entries have one key"
  }
  let written = AtrestExport.write(records, madeAt: .epoch, program: "")
  let again = try Portability.parse(written.bytes)
  guard again.entries.map(\.key) == file.entries.map(\.key),
    again.entries.map({ $0.values.map(\.bytes) }) == file.entries.map({ $0.values.map(\.bytes) })
  else { return "what was read survives being written" }
  return nil
}
