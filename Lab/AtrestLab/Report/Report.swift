// SPDX-License-Identifier: Apache-2.0
// The record of a played scenario and its failed expectations.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import Foundation

/// The outcome of one scenario.
package struct Report: Sendable {
  /// A detail of a step.
  package enum Note: Hashable, Sendable {
    case appeared(record: String, value: String)
    /// A field changed.
    case changed(record: String, before: String, after: String, by: String)
    /// A record was deleted.
    case deleted(record: String, by: String)
    /// A write lost to one that did not know it, and was journalled.
    case setAside(record: String, value: String, by: String, kept: String, keptBy: String)
    /// The soil of the garden changed: `7.35 of 10.00`.
    case soil(before: String, after: String)
    /// The device's contents before and after.
    case held(before: [String], after: [String])
    /// A device's contents when an expectation is checked; in verbose reports only.
    case shows(device: String, records: [String])
    /// An expectation failed.
    case differs(line: Int, sentence: String)
  }

  /// A played step.
  package struct Step: Hashable, Sendable {
    /// The line in the file; 0 without a file.
    package var line: Int
    /// The time of the step.
    package var at: WallTime
    /// The device or other actor; may be empty.
    package var who: String
    /// What happened, following `who`.
    package var what: String
    /// The details.
    package var notes: [Note]
  }

  /// A failed expectation.
  package struct Failure: Hashable, Sendable {
    /// The line in the file; 0 without a file.
    package var line: Int
    /// What was expected and found.
    package var sentence: String
  }

  /// A device's final state.
  package struct Device: Hashable, Sendable {
    package var name: String
    /// The digest; equal for devices with the same records.
    package var digest: String
    /// The number of waiting writes, refused ones included.
    package var waiting: Int
    /// The number of refused writes.
    package var refused: Int
    /// The visible records, one per line, and the soil where there is a garden.
    package var records: [String]
    /// The conflict journal as `setAside` notes.
    package var journal: [Note]
  }

  /// The scenario's title.
  package let name: String
  /// The scenario's description; may be empty.
  package let about: String
  /// The file, or the origin of the scenario.
  package let file: String
  /// The start time.
  package let start: WallTime
  /// The time zone for display.
  package let zone: ZoneOffsets
  /// Whether each sync lists the devices' contents.
  package let isVerbose: Bool
  /// The steps in order.
  package private(set) var steps: [Step] = []
  /// The number of checks made.
  package private(set) var checks = 0
  /// The failed expectations.
  package private(set) var failures: [Failure] = []
  /// The devices' final states.
  package var devices: [Device] = []

  /// Adds a note to the latest step.
  mutating func add(_ note: Note) {
    if !steps.isEmpty { steps[steps.count - 1].notes.append(note) }
  }

  /// Whether every expectation held.
  package var isHeld: Bool { failures.isEmpty }

  init(_ scenario: Scenario, file: String, isVerbose: Bool) {
    name = scenario.name
    about = scenario.about
    self.file = file
    start = scenario.start
    zone = ZoneOffsets(scenario.zone)
    self.isVerbose = isVerbose
  }

  mutating func add(_ step: Scenario.Step, who: String, _ what: String, _ notes: [Note] = []) {
    steps.append(Step(line: step.line, at: step.at, who: who, what: what, notes: notes))
  }

  /// Counts a check. If it fails, the sentence is added to the latest step.
  mutating func check(_ holds: Bool, _ line: Int, _ sentence: @autoclosure () -> String) {
    checks += 1
    if !holds { fail(line, sentence()) }
  }

  mutating func fail(_ line: Int, _ sentence: String) {
    failures.append(Failure(line: line, sentence: sentence))
    guard !steps.isEmpty else { return }
    steps[steps.count - 1].notes.append(.differs(line: line, sentence: sentence))
  }

  /// Adds the number of checks to the latest step.
  mutating func conclude(_ step: Scenario.Step, who: String, checks: Int) {
    guard !steps.isEmpty else { return }
    let last = steps.count - 1
    let failed = steps[last].notes.count { if case .differs = $0 { true } else { false } }
    steps[last].who = who
    steps[last].what =
      failed == 0
      ? "as expected (\(checks) \(checks == 1 ? "check" : "checks"))"
      : "not as expected (\(failed) of \(checks) checks)"
  }
}
