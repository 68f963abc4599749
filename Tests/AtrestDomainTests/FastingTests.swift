// SPDX-License-Identifier: Apache-2.0
// The effects of starting, completing and abandoning a fast on the sessions.

import AtrestDomain
import Foundation
import Testing

@Suite("The fasting machine", .timeLimit(.minutes(20)))
struct FastingTests {
  private let eight = "2026-11-20T08:00:00Z"
  private let nine = "2026-11-20T09:00:00Z"

  @Test("between fasts nothing is active")
  func idle() {
    #expect(Fasting([]).active == nil)
    #expect(Fasting([fast(1, start: eight, end: nine)]).active == nil)
    #expect(Fasting([fast(1, start: eight, end: nine, outcome: .abandoned)]).active == nil)
  }

  @Test("a fast captures its id, start and target")
  func start() throws {
    let session = try Fasting([]).start(id: id(7), at: instant(eight), targetMinutes: 18 * 60)
    #expect(session.id == id(7))
    #expect(session.span == Session.Span(start: instant(eight), end: nil, outcome: .active))
    #expect(session.targetMinutes == 18 * 60)
  }

  @Test("a second fast is refused while one goes on")
  func startTwice() {
    let state = Fasting([fast(1, start: eight)])
    #expect(throws: FastingRefusal.alreadyActive) {
      try state.start(id: id(2), at: instant(nine), targetMinutes: 960)
    }
  }

  @Test("a target that cannot be stored is refused", arguments: [0, -1, 14 * 24 * 60 + 1, .max])
  func target(minutes: Int) {
    #expect(throws: FastingRefusal.targetOutOfRange) {
      try Fasting([]).start(id: id(1), at: instant(eight), targetMinutes: minutes)
    }
  }

  @Test("completing and abandoning end the active fast and change nothing else")
  func finish() throws {
    let active = fast(1, start: eight, targetMinutes: 777)
    for (finished, outcome) in [
      (try Fasting([active]).complete(at: instant(nine)), Session.Outcome.completed),
      (try Fasting([active]).abandon(at: instant(nine)), .abandoned),
    ] {
      #expect(finished.id == active.id)
      #expect(finished.targetMinutes == 777)
      #expect(finished.span.start == instant(eight))
      #expect(finished.span.end == instant(nine))
      #expect(finished.span.outcome == outcome)
    }
  }

  @Test("an end before the start becomes the start")
  func clamp() throws {
    let state = Fasting([fast(1, start: nine)])
    #expect(try state.complete(at: instant(eight)).span.end == instant(nine))
    #expect(try state.abandon(at: instant(eight)).span.end == instant(nine))
  }

  @Test("without an active fast nothing can end")
  func finishNothing() {
    let state = Fasting([fast(1, start: eight, end: nine)])
    #expect(throws: FastingRefusal.nothingActive) { try state.complete(at: instant(nine)) }
    #expect(throws: FastingRefusal.nothingActive) { try state.abandon(at: instant(nine)) }
  }

  @Test(
    "of several open fasts the latest start is active, and the others are listed, whatever the order"
  )
  func several() {
    let first = fast(1, start: eight)
    let second = fast(2, start: nine)
    let third = fast(3, start: "2026-11-20T10:00:00Z")
    let ended = fast(4, start: "2026-11-20T11:00:00Z", end: "2026-11-20T12:00:00Z")
    for sessions in [[first, second, third, ended], [ended, third, second, first]] {
      let state = Fasting(sessions)
      #expect(state.active == third)
      #expect(state.otherOpen == [second, first])
    }
  }

  @Test("of two open fasts with one start every device chooses the same")
  func sameStart() {
    let a = fast(1, start: eight)
    let b = fast(2, start: eight)
    #expect(Fasting([a, b]) == Fasting([b, a]))
    #expect(Fasting([a, b]).active == b)
  }

  @Test("the history shows completed fasts of four hours and more")
  func history() {
    func shown(_ end: String?, _ outcome: Session.Outcome) -> Bool {
      fast(1, start: "2026-11-20T08:00:00Z", end: end, outcome: outcome).isInHistory
    }
    #expect(shown("2026-11-20T12:00:00Z", .completed))
    #expect(!shown("2026-11-20T11:59:59Z", .completed))
    #expect(!shown("2026-11-20T20:00:00Z", .abandoned))
    #expect(!shown(nil, .active))
  }
}

@Suite("Milestones", .timeLimit(.minutes(20)))
struct MilestoneTests {
  @Test(
    "each window includes its first instant",
    arguments: [
      (0, Milestone.digestionCompleting), (3.9999, .digestionCompleting), (4, .beginningToShift),
      (7.9999, .beginningToShift), (8, .metabolicTransition), (12, .deeperRhythm),
      (15.9999, .deeperRhythm), (16, .extendedFast), (24, .prolongedFast), (400, .prolongedFast),
    ])
  func windows(hours: Double, milestone: Milestone) {
    #expect(Milestone(elapsedMilliseconds: Int64(hours * 3_600_000)) == milestone)
  }

  @Test("there are six, one after the other, and the last has no end")
  func six() {
    #expect(
      Milestone.allCases == [
        .digestionCompleting, .beginningToShift, .metabolicTransition, .deeperRhythm,
        .extendedFast, .prolongedFast,
      ])
    #expect(Milestone.allCases.map(\.firstHour) == [0, 4, 8, 12, 16, 24])
    #expect(Milestone.allCases.map(\.endHour) == [4, 8, 12, 16, 24, nil])
  }

  @Test("before the start there is none")
  func negative() {
    #expect(Milestone(elapsedMilliseconds: -1) == nil)
    #expect(Milestone(elapsedMilliseconds: .min) == nil)
  }
}
