// SPDX-License-Identifier: Apache-2.0
// What happened when a scenario was played, and what was not as expected.

import Foundation

/// The outcome of one scenario.
package struct Report: Sendable {
  /// Something worth telling about a step.
  package enum Note: Hashable, Sendable {
    /// A record came into view.
    case appeared(record: String, value: String)
    /// A part of one changed.
    case changed(record: String, before: String, after: String, by: String)
    /// One went.
    case deleted(record: String, by: String)
    /// A write lost to one that did not know it, and is kept in the journal.
    case setAside(record: String, value: String, by: String, kept: String, keptBy: String)
    /// All that the device held before and after.
    case held(before: [String], after: [String])
    /// All that a device holds while something is expected of it.
    case shows(device: String, records: [String])
    /// Something is not as expected.
    case differs(line: Int, sentence: String)
  }

  /// A step as it was played.
  package struct Step: Hashable, Sendable {
    /// Its line in the file; 0 if no file holds it.
    package var line: Int
    /// When.
    package var at: Date
    /// The device, or whose step it is; may be empty.
    package var who: String
    /// What happened, to follow `who`.
    package var what: String
    /// What came of it.
    package var notes: [Note]
  }

  /// An expectation that does not hold.
  package struct Failure: Hashable, Sendable {
    /// Where it stands in the file; 0 if no file holds it.
    package var line: Int
    /// What was expected and what was found.
    package var sentence: String
  }

  /// A device at the end.
  package struct Device: Hashable, Sendable {
    /// What people call it.
    package var name: String
    /// Equal for devices that hold the same.
    package var digest: String
    /// Writes that wait, refused ones included.
    package var waiting: Int
    /// Writes the server did not take.
    package var refused: Int
    /// What it shows, a line each.
    package var records: [String]
    /// Its journal.
    package var journal: [Note]
  }

  /// The scenario's name.
  package let name: String
  /// The same, at length; may be empty.
  package let about: String
  /// Its file, or how it came about.
  package let file: String
  /// When it began.
  package let start: Date
  /// Where its clocks are.
  package let zone: TimeZone
  /// Whether all that devices hold is told at each sync.
  package let isVerbose: Bool
  /// In the order they were played.
  package private(set) var steps: [Step] = []
  /// How many things were compared.
  package private(set) var checks = 0
  /// What was not as expected.
  package private(set) var failures: [Failure] = []
  /// What each device held when all was over.
  package var devices: [Device] = []

  /// Adds to the step played last.
  mutating func add(_ note: Note) {
    if !steps.isEmpty { steps[steps.count - 1].notes.append(note) }
  }

  /// Whether everything was as expected.
  package var isHeld: Bool { failures.isEmpty }

  init(_ scenario: Scenario, file: String, isVerbose: Bool) {
    name = scenario.name
    about = scenario.about
    self.file = file
    start = scenario.start
    zone = scenario.zone
    self.isVerbose = isVerbose
  }

  mutating func add(_ step: Scenario.Step, who: String, _ what: String, _ notes: [Note] = []) {
    steps.append(Step(line: step.line, at: step.at, who: who, what: what, notes: notes))
  }

  /// Counts something that was compared; if it does not hold, the sentence goes to the step played
  /// last.
  mutating func check(_ holds: Bool, _ line: Int, _ sentence: @autoclosure () -> String) {
    checks += 1
    if !holds { fail(line, sentence()) }
  }

  mutating func fail(_ line: Int, _ sentence: String) {
    failures.append(Failure(line: line, sentence: sentence))
    guard !steps.isEmpty else { return }
    steps[steps.count - 1].notes.append(.differs(line: line, sentence: sentence))
  }

  /// Says of the step played last how many things were compared.
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
