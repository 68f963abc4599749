// SPDX-License-Identifier: Apache-2.0
// Applies edits to a device by the same rules as the command line and the apps.

import AtrestClient
import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import TrunkDomain

/// Why an edit is impossible at this point of a scenario.
struct ImpossibleEdit: Error {
  let sentence: String
}

extension Player {
  /// Applies an edit.
  ///
  /// - Returns: Whether the scenario can continue.
  mutating func play(
    _ edit: Scenario.Edit, on index: Int, _ step: Scenario.Step
  ) throws -> Bool {
    let device = devices[index]
    let before = try Holding(device.replica)
    do {
      try make(edit, on: device, step.at)
    } catch {
      if case .garden(_, let refusal?) = edit, let problem = error as? GardenProblem {
        report.add(step, who: device.name, LabWords.edit(edit, zone))
        report.check(
          GardenRefusal(problem) == refusal, step.line,
          "\(device.name): expected it to be refused (\(refusal.rawValue)), found: "
            + problem.userMessage)
        return true
      }
      let sentence: String
      switch error {
      case let error as ImpossibleEdit: sentence = error.sentence
      case let error as InputProblem: sentence = error.userMessage
      case let error as FastingRefusal: sentence = error.userMessage
      case let error as GardenProblem: sentence = error.userMessage
      case let error as ReplicaError where error.code == .invalid: sentence = error.userMessage
      default: throw error
      }
      report.add(step, who: device.name, LabWords.edit(edit, zone))
      report.fail(step.line, "\(device.name) cannot do that: \(sentence) The scenario ends here.")
      return false
    }
    let after = try Holding(device.replica)
    ledger.note(device.name, from: before, to: after)
    let isSeen = if case .bringBack = edit { true } else { report.isVerbose }
    report.add(
      step, who: device.name, LabWords.edit(edit, zone),
      isSeen ? changes(from: before, to: after) : soilChange(from: before, to: after))
    if case .garden(_, let refusal?) = edit {
      report.check(
        false, step.line,
        "\(device.name): expected it to be refused (\(refusal.rawValue)), and it was not")
    }
    return true
  }

  private mutating func make(
    _ edit: Scenario.Edit, on device: Device, _ time: WallTime
  ) throws {
    let now = device.clock.shown(at: time)
    switch edit {
    case .start(let name, let began, let target):
      let id = RecordBook.id(name)
      try device.replica.transaction { transaction in
        let usual = TargetPreference.minutes(try transaction.preference(TargetPreference.key))
        try transaction.save(
          Fasting(transaction.sessions()).start(
            id: id, at: began ?? now, targetMinutes: target ?? usual))
      }
      book.add(name, RecordKey(kind: .session, id: id.bytes))
    case .finish(let name, let ended, let isCompleted):
      try device.replica.transaction { transaction in
        guard var fast = try transaction.session(RecordBook.id(name)) else { throw missing(name) }
        guard fast.span.outcome == .active else {
          throw ImpossibleEdit(sentence: "“\(name)” is over there already.")
        }
        let start = fast.span.start
        let outcome: Fast.Outcome = isCompleted ? .completed : .abandoned
        // As in `Fasting`, for a fast that need not be active.
        if let span = Fast.Span(start: start, end: max(start, ended ?? now), outcome: outcome) {
          fast.span = span
        }
        try transaction.save(fast)
      }
    case .correctFast(let name, let change):
      try device.replica.transaction { transaction in
        guard let fast = try transaction.session(RecordBook.id(name)) else { throw missing(name) }
        try transaction.save(
          fast.edited(
            start: change.began, end: change.ended,
            outcome: change.outcome.flatMap(Fast.Outcome.init(word:)),
            targetMinutes: change.targetMinutes, now: max(now, time)))
      }
    case .drink(let names, let millilitres, let at):
      try device.replica.transaction { transaction in
        for name in names {
          guard let intake = WaterEntry.Intake(at: at ?? now, millilitres: millilitres) else {
            throw InputProblem.amountOutOfRange
          }
          try transaction.save(WaterEntry(id: RecordBook.id(name), intake: intake))
        }
      }
      for name in names {
        book.add(name, RecordKey(kind: .water, id: RecordBook.id(name).bytes))
      }
    case .correctWater(let name, let millilitres, let at):
      try device.replica.transaction { transaction in
        guard var entry = try transaction.waterEntry(RecordBook.id(name)) else {
          throw missing(name)
        }
        guard
          let intake = WaterEntry.Intake(
            at: at ?? entry.intake.at, millilitres: millilitres ?? entry.intake.millilitres)
        else { throw InputProblem.amountOutOfRange }
        entry.intake = intake
        try transaction.save(entry)
      }
    case .delete(let names):
      let keys = names.map { ($0, book.key($0)) }
      try device.replica.transaction { transaction in
        for (name, key) in keys {
          try checkDeletion(key, in: transaction)
          guard try transaction.delete(key) else { throw missing(name) }
        }
      }
    case .set(let key, let value):
      try device.replica.setPreference(key, to: value)
    case .bringBack(let choice):
      try bringBack(choice, on: device)
    case .garden(let edit, _):
      try make(edit, on: device, at: now)
    }
  }

  func missing(_ name: String) -> ImpossibleEdit {
    ImpossibleEdit(sentence: "“\(name)” is not there.")
  }

  private func bringBack(_ choice: Scenario.JournalChoice, on device: Device) throws {
    let key = book.key(choice.record)
    let entries = try device.replica.conflicts().filter { entry in
      let field = Scenario.FieldName(entry.conflict)
      return entry.conflict.key == key && (choice.field.map { $0 == field } ?? true)
        && (choice.from.map { writers.isPossible($0, entry.conflict.lost.stamp.replica) } ?? true)
    }
    guard let entry = entries.first else {
      throw ImpossibleEdit(sentence: "its journal has no such entry for “\(choice.record)”.")
    }
    guard entries.count == 1 else {
      throw ImpossibleEdit(
        sentence: "its journal has \(entries.count) such entries for “\(choice.record)”; name the "
          + "`field`, or with `from` the device.")
    }
    try device.replica.restore(entry)
  }
}

extension Fast.Outcome {
  /// The outcome for a word; nil for any other word.
  init?(word: String) {
    guard let outcome = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = outcome
  }

  /// The word for display and input.
  var word: String {
    switch self {
    case .active: "active"
    case .completed: "completed"
    case .abandoned: "abandoned"
    }
  }
}
