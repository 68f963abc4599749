// SPDX-License-Identifier: Apache-2.0
// Compares devices with a scenario's expectations.

import AtrestClient
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

extension Player {
  mutating func check(_ expectation: Expectation, _ step: Scenario.Step) throws {
    let names = expectation.devices.isEmpty ? devices.map(\.name) : expectation.devices
    let chosen = names.map { devices[index($0)] }
    let checksBefore = report.checks
    report.add(step, who: "", "")
    for device in chosen {
      let holding = try Holding(device.replica)
      if report.isVerbose {
        report.add(.shows(device: device.name, records: lines(holding)))
      }
      check(expectation, step, device.name, holding)
      check(expectation.garden, step, device, holding)
    }
    if let expected = expectation.isIdentical {
      let records = try chosen.map { try $0.replica.allRecords() }
      let isIdentical = records.dropFirst().allSatisfy { $0 == records.first }
      report.check(
        isIdentical == expected, step.line,
        isIdentical
          ? "the devices: expected them to differ, and they are identical"
          : "the devices: expected them to be identical, and they differ")
    }
    report.conclude(
      step, who: chosen.count == devices.count ? "all" : names.joined(separator: ", "),
      checks: report.checks - checksBefore)
  }

  private mutating func check(
    _ expectation: Expectation, _ step: Scenario.Step, _ device: String, _ holding: Holding
  ) {
    for fast in expectation.fasts {
      let item = item(book.key(fast.name), holding)
      var problems: [String] = []
      if let match = fast.value, let found = item?.fast {
        problems = mismatches(match, found.span, found.targetMinutes)
      }
      checkItem(
        fast.name, isThere: item != nil, device, fast.line, isExpected: fast.value != nil, problems)
    }
    for water in expectation.water {
      let item = item(book.key(water.name), holding)
      var problems: [String] = []
      if let match = water.value, let found = item?.intake { problems = mismatches(match, found) }
      checkItem(
        water.name, isThere: item != nil, device, water.line, isExpected: water.value != nil,
        problems)
    }
    for setting in expectation.settings {
      let item = item(RecordBook.setting(setting.name), holding)
      var problems: [String] = []
      if let value = setting.value, let item, value != item.text {
        problems = ["expected “\(value)”, found “\(Part.shortened(item.text ?? ""))”"]
      }
      checkItem(
        setting.name, isThere: item != nil, device, setting.line, isExpected: setting.value != nil,
        problems)
    }
    let live = holding.live
    checkCount("fasts", expectation.fastCount, live.count { $0.key.kind == .session }, device, step)
    checkCount("water", expectation.waterCount, live.count { $0.key.kind == .water }, device, step)
    checkCount("waiting writes", expectation.waiting, holding.waiting, device, step)
    if let active = expectation.active {
      let found = holding.active.map {
        book.name(RecordKey(kind: .session, id: $0.bytes))
      }
      report.check(
        found == active.value, active.line,
        "the active fast on \(device): expected \(active.value ?? "none"), found \(found ?? "none")"
      )
    }
    switch expectation.journal {
    case .count(let count):
      checkCount("journal entries", count, holding.journal.count, device, step)
    case .entries(let entries): check(entries, holding.journal, device, step)
    case nil: break
    }
  }

  private mutating func checkCount(
    _ what: String, _ expected: Int?, _ found: Int, _ device: String, _ step: Scenario.Step
  ) {
    guard let expected else { return }
    report.check(
      expected == found, step.line, "\(what) on \(device): expected \(expected), found \(found)")
  }

  private func item(_ key: RecordKey, _ holding: Holding) -> Holding.HeldRecord? {
    holding.items[key].flatMap { $0.isDeleted ? nil : $0 }
  }

  mutating func checkItem(
    _ name: String, isThere: Bool, _ device: String, _ line: Int, isExpected: Bool,
    _ problems: [String]
  ) {
    switch (isThere, isExpected) {
    case (false, true):
      report.check(false, line, "“\(name)” on \(device): expected it there, and it is not")
    case (true, false):
      report.check(false, line, "“\(name)” on \(device): expected it gone, and it is there")
    case (false, false), (true, true):
      if problems.isEmpty { report.check(true, line, "") }
      for problem in problems { report.check(false, line, "“\(name)” on \(device): \(problem)") }
    }
  }

  private func mismatches(
    _ match: Expectation.FastMatch, _ span: Fast.Span, _ target: Int?
  ) -> [String] {
    var problems: [String] = []
    func compare<Value: Equatable>(
      _ what: String, _ expected: Value?, _ found: Value?, _ words: (Value) -> String
    ) {
      guard let expected, expected != found else { return }
      problems.append(
        "\(what): expected \(words(expected)), found \(found.map(words) ?? "nothing")")
    }
    let date: (WallTime) -> String = { LabWords.time($0, start, zone) }
    compare("began", match.began, span.start, date)
    compare("ended", match.ended, span.end, date)
    compare("outcome", match.outcome, span.outcome.word) { $0 }
    compare("target", match.targetMinutes, target) { DurationText.text(minutes: $0) }
    return problems
  }

  private func mismatches(
    _ match: Expectation.WaterMatch, _ intake: WaterEntry.Intake
  ) -> [String] {
    var problems: [String] = []
    if let amount = match.millilitres, amount != intake.millilitres {
      problems.append(
        "expected \(AmountText.text(millilitres: amount)), found "
          + AmountText.text(millilitres: intake.millilitres))
    }
    if let at = match.at, at != intake.at {
      problems.append(
        "expected it \(LabWords.time(at, start, zone)), found it "
          + LabWords.time(intake.at, start, zone))
    }
    return problems
  }

  // MARK: - The journal

  private mutating func check(
    _ expected: [Expectation.Named<Expectation.EntryMatch>], _ journal: [JournalEntry],
    _ device: String, _ step: Scenario.Step
  ) {
    var left = journal
    // Match the most specific expectation first, so that it is not left without its entry.
    for entry in expected.sorted(by: { $0.value.wishes > $1.value.wishes }) {
      let index = left.firstIndex { matches(entry, $0) }
      let wish = entry.value.field.map { "\($0.rawValue) of “\(entry.name)”" } ?? "“\(entry.name)”"
      report.check(
        index != nil, entry.line,
        "the journal on \(device): expected an entry for the \(wish) as described, found none")
      if let index { left.remove(at: index) }
    }
    if left.isEmpty {
      report.check(true, step.line, "")
    }
    for entry in left {
      let words = setAside(entry).text
      report.check(
        false, step.line, "the journal on \(device): found an entry nobody expects, \(words)")
    }
  }

  private func matches(
    _ expected: Expectation.Named<Expectation.EntryMatch>, _ entry: JournalEntry
  ) -> Bool {
    let (match, conflict) = (expected.value, entry.conflict)
    guard conflict.key == book.key(expected.name) else { return false }
    if let field = match.field,
      field != Scenario.FieldName(conflict)
    {
      return false
    }
    if let from = match.from, !writers.isPossible(from, conflict.lost.stamp.replica) {
      return false
    }
    if let wonBy = match.wonBy, !writers.isPossible(wonBy, conflict.kept.stamp.replica) {
      return false
    }
    return matches(match.kept, entry.keptValue) && matches(match.setAside, entry.lostValue)
  }

  private func matches(_ match: Expectation.ValueMatch?, _ value: HeldValue) -> Bool {
    switch (match, value) {
    case (nil, _): true
    case (.garden(let match)?, .garden(let value)): matches(match, value)
    case (let match?, .field(let value)): matches(match, value)
    case (_?, .garden): false
    }
  }

  private func matches(_ match: Expectation.ValueMatch, _ value: FieldValue) -> Bool {
    switch (match, value) {
    case (.fast(let match), .span(let span)): mismatches(match, span, nil).isEmpty
    case (.target(let minutes), .targetMinutes(let found)): minutes == found
    case (.water(let match), .intake(let intake)): mismatches(match, intake).isEmpty
    case (.text(let text), .text(let found)): text == found
    case (.deleted(let flag), .deleted(let found)): flag == found
    default: false
    }
  }

  /// Adds each device's final contents to the report.
  mutating func conclude() throws {
    for device in devices {
      let holding = try Holding(device.replica)
      report.devices.append(
        Report.Device(
          name: device.name, digest: holding.digest, waiting: holding.waiting,
          refused: holding.refused, records: lines(holding),
          journal: holding.journal.map { setAside($0) }))
    }
  }
}

extension Expectation.EntryMatch {
  fileprivate var wishes: Int {
    [field != nil, kept != nil, setAside != nil, wonBy != nil, from != nil].count { $0 }
  }
}
