// SPDX-License-Identifier: Apache-2.0
// Encodes a report as JSON.

import AtrestDomain
import Foundation

/// A report for `--json`. Names are stable; nil members are absent.
package struct ReportRow: Encodable, Sendable {
  struct Step: Encodable {
    var line: Int?
    /// ISO 8601 in UTC.
    var at: String
    var who: String?
    var what: String
    var changes: [Change]?
    var setAside: [SetAside]?
    var soil: Soil?
    var before: [String]?
    var after: [String]?
    var shown: [String: [String]]?
  }

  struct Change: Encodable {
    var record: String
    var before: String?
    var after: String?
    var deleted: Bool?
    var by: String?
  }

  struct SetAside: Encodable {
    var record: String
    var value: String
    var by: String
    var kept: String
    var keptBy: String
  }

  /// Before and after, `7.35 of 10.00`.
  struct Soil: Encodable {
    var before: String
    var after: String
  }

  struct Failure: Encodable {
    var line: Int?
    var sentence: String
  }

  struct Device: Encodable {
    var name: String
    var digest: String
    var waiting: Int
    var refused: Int
    var records: [String]
    var journal: [SetAside]
  }

  let scenario: String
  let file: String
  let held: Bool
  let checks: Int
  let failures: [Failure]
  let steps: [Step]
  let devices: [Device]

  /// Creates the row of a report.
  package init(_ report: Report) {
    scenario = report.name
    file = report.file
    held = report.isHeld
    checks = report.checks
    failures = report.failures.map { Failure(line: Self.line($0.line), sentence: $0.sentence) }
    steps = report.steps.map(Self.step)
    devices = report.devices.map { device in
      Device(
        name: device.name, digest: device.digest, waiting: device.waiting,
        refused: device.refused, records: device.records,
        journal: device.journal.compactMap(Self.setAside))
    }
  }

  private static func line(_ line: Int) -> Int? { line > 0 ? line : nil }

  private static func step(_ step: Report.Step) -> Step {
    var row = Step(
      line: line(step.line), at: TimeText.iso(step.at), who: step.who.isEmpty ? nil : step.who,
      what: step.what)
    let changes = step.notes.compactMap(change)
    row.changes = changes.isEmpty ? nil : changes
    let losses = step.notes.compactMap(setAside)
    row.setAside = losses.isEmpty ? nil : losses
    for case .soil(let before, let after) in step.notes {
      row.soil = Soil(before: before, after: after)
    }
    for case .held(let before, let after) in step.notes {
      row.before = before
      row.after = after
    }
    for case .shows(let device, let records) in step.notes {
      row.shown = (row.shown ?? [:]).merging([device: records]) { $1 }
    }
    return row
  }

  private static func change(_ note: Report.Note) -> Change? {
    switch note {
    case .appeared(let record, let value): Change(record: record, after: value)
    case .changed(let record, let before, let after, let by):
      Change(record: record, before: before, after: after, by: by)
    case .deleted(let record, let by): Change(record: record, deleted: true, by: by)
    case .setAside, .soil, .held, .shows, .differs: nil
    }
  }

  private static func setAside(_ note: Report.Note) -> SetAside? {
    guard case .setAside(let record, let value, let by, let kept, let keptBy) = note else {
      return nil
    }
    return SetAside(record: record, value: value, by: by, kept: kept, keptBy: keptBy)
  }
}
