// SPDX-License-Identifier: Apache-2.0
// Editing a fast afterwards: effects and refusals.

import AtrestDomain
import Foundation
import Testing

@Suite("Editing a fast", .timeLimit(.minutes(20)))
struct EditTests {
  private let now = instant("2026-11-21T13:30:00Z")
  private let ended = fast(1, start: "2026-11-20T20:00:00Z", end: "2026-11-21T12:00:00Z")
  private let open = fast(2, start: "2026-11-20T20:00:00Z")

  @Test("changes what is named and keeps the rest")
  func parts() throws {
    let moved = try ended.edited(start: instant("2026-11-20T19:00:00Z"), now: now)
    #expect(moved.span.start == instant("2026-11-20T19:00:00Z"))
    #expect(moved.span.end == ended.span.end)
    #expect(moved.targetMinutes == ended.targetMinutes && moved.id == ended.id)
    let retargeted = try ended.edited(targetMinutes: 720, now: now)
    #expect(retargeted.span == ended.span && retargeted.targetMinutes == 720)
    #expect(try ended.edited(now: now) == ended)
  }

  @Test("an end completes an open fast, and an outcome says otherwise")
  func endOpen() throws {
    let end = instant("2026-11-21T06:00:00Z")
    #expect(try open.edited(end: end, now: now).span.outcome == .completed)
    #expect(try open.edited(end: end, outcome: .abandoned, now: now).span.outcome == .abandoned)
    #expect(try ended.edited(outcome: .abandoned, now: now).span.end == ended.span.end)
  }

  @Test("a fast ended by mistake goes on")
  func reopen() throws {
    let reopened = try ended.edited(outcome: .active, now: now)
    #expect(reopened.span.outcome == .active && reopened.span.end == nil)
  }

  @Test("refuses what cannot be meant")
  func refusals() {
    let late = instant("2026-11-22T00:00:00Z")
    #expect(throws: InputProblem.inTheFuture) { try ended.edited(end: late, now: now) }
    #expect(throws: InputProblem.endBeforeStart) {
      try ended.edited(start: instant("2026-11-21T12:00:01Z"), now: now)
    }
    #expect(throws: InputProblem.endMissing) { try open.edited(outcome: .completed, now: now) }
    #expect(throws: InputProblem.openWithEnd) {
      try ended.edited(end: instant("2026-11-21T11:00:00Z"), outcome: .active, now: now)
    }
    #expect(throws: InputProblem.fastTooLong) {
      try ended.edited(start: instant("2026-11-01T00:00:00Z"), now: now)
    }
    #expect(throws: InputProblem.targetOutOfRange) { try ended.edited(targetMinutes: 0, now: now) }
  }
  @Test("what is not corrected is not checked: the clock that wrote it may have been ahead")
  func othersUnchecked() throws {
    let ahead = instant("2026-11-21T10:00:00Z")
    let start = try ended.edited(start: instant("2026-11-20T21:00:00Z"), now: ahead)
    #expect(start.span.end == ended.span.end)
    #expect(try ended.edited(outcome: .abandoned, now: ahead).span.outcome == .abandoned)
    let long = fast(3, start: "2026-10-01T00:00:00Z", end: "2026-10-20T00:00:00Z")
    #expect(try long.edited(outcome: .abandoned, now: now).span.outcome == .abandoned)
    #expect(throws: InputProblem.fastTooLong) {
      try long.edited(start: instant("2026-10-02T00:00:00Z"), now: now)
    }
    #expect(throws: InputProblem.fastTooLong) { try long.edited(outcome: .active, now: now) }
  }

  @Test("a drink's amount can be corrected beside a time that breaks the rules, and the reverse")
  func water() throws {
    let intake = try #require(
      WaterEntry.Intake(at: instant("2026-11-21T14:00:00Z"), millilitres: 9_000))
    let entry = WaterEntry(id: ended.id, intake: intake)
    let amount = try entry.edited(millilitres: 300, now: now)
    #expect(amount.intake.millilitres == 300 && amount.intake.at == intake.at)
    let time = try entry.edited(at: now, now: now)
    #expect(time.intake.millilitres == 9_000 && time.intake.at == now)
    #expect(throws: InputProblem.inTheFuture) { try entry.edited(at: intake.at, now: now) }
    #expect(throws: InputProblem.ouncesOutOfRange) {
      try entry.edited(millilitres: 0, unit: .fluidOunces, now: now)
    }
  }
}
