// SPDX-License-Identifier: Apache-2.0
// The timer's states, from the first touch to the end of a fast, and after a restart.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("The timer's machine", .timeLimit(.minutes(20)))
struct FastingMachineTests {
  private let now = Moments.now
  private func hours(_ hours: Double) -> WallTime { now.advanced(bySeconds: hours * 3600) }

  @Test("goes from idle to active to completed, and keeps the id and the target of the start")
  func completes() throws {
    var machine = FastingMachine()
    #expect(machine.status == .idle)
    machine.start(id: numbered(1), at: now, targetMinutes: 18 * 60)
    guard case .active(let active) = machine.status else {
      Issue.record("not active")
      return
    }
    machine.complete(at: hours(17))
    guard case .completed(let session) = machine.status else {
      Issue.record("not completed")
      return
    }
    #expect(session.id == active.id && session.targetMinutes == 18 * 60)
    #expect(session.span.start == now && session.span.end == hours(17))
  }

  @Test("a target that changes while a fast goes on does not reach it")
  func capturesTarget() throws {
    var stored = "18"
    var machine = FastingMachine()
    machine.start(id: numbered(1), at: now, targetMinutes: TargetPreference.minutes(stored))
    stored = "12"
    let usual = TargetPreference.minutes(stored)
    #expect(MaterialisingProgress.value(of: machine.status, at: hours(9)) == 0.5)
    guard case .completed(let session) = machine.complete(at: hours(13)) else {
      Issue.record("not completed")
      return
    }
    #expect(usual == 720 && session.targetMinutes == 1080)
    #expect(TreeMapper.state(of: session) == .incomplete)
  }

  @Test("a target of nothing, or of more than can be stored, becomes 16 hours")
  func clampsTarget() {
    for target in [0, -5, .min, 14 * 24 * 60 + 1, .max] {
      var machine = FastingMachine()
      guard
        case .active(let session) = machine.start(id: numbered(1), at: now, targetMinutes: target)
      else {
        Issue.record("nobody is kept from beginning")
        return
      }
      #expect(session.targetMinutes == 960)
    }
  }

  @Test("steps that make no sense change nothing")
  func ignores() {
    var machine = FastingMachine()
    #expect(machine.complete(at: now) == .idle)
    #expect(machine.abandon(at: now) == .idle)
    machine.start(id: numbered(1), at: now, targetMinutes: 960)
    let active = machine.status
    #expect(machine.start(id: numbered(2), at: hours(1), targetMinutes: 720) == active)
    machine.complete(at: hours(16))
    let completed = machine.status
    #expect(machine.complete(at: hours(17)) == completed)
    #expect(machine.abandon(at: hours(17)) == completed)
  }

  @Test("a fast begins after one that was completed, and after one that was let go")
  func beginsAgain() {
    var machine = FastingMachine()
    machine.start(id: numbered(1), at: now, targetMinutes: 960)
    machine.complete(at: hours(16))
    #expect(machine.start(id: numbered(2), at: hours(20), targetMinutes: 960).isActive)
    machine.abandon(at: hours(21))
    #expect(!machine.status.isActive)
    #expect(machine.start(id: numbered(3), at: hours(22), targetMinutes: 960).isActive)
  }

  @Test("an end before the start becomes the start")
  func clampsEnd() {
    var machine = FastingMachine()
    machine.start(id: numbered(1), at: now, targetMinutes: 960)
    guard case .completed(let session) = machine.complete(at: hours(-3)) else {
      Issue.record("not completed")
      return
    }
    #expect(session.durationMilliseconds == 0)
  }

  @Test("a fast that went on goes on after a restart, with its target")
  func restores() {
    var machine = FastingMachine()
    machine.start(id: numbered(1), at: now, targetMinutes: 20 * 60)
    guard case .active(let session) = machine.status else {
      Issue.record("not active")
      return
    }
    #expect(FastingMachine(restoring: [session]).status == .active(session))
    #expect(FastingMachine(restoring: [ended(2, hours: 16)]).status == .idle)
  }

  @Test("what another device did shows")
  func follows() throws {
    var machine = FastingMachine()
    machine.start(id: numbered(1), at: now, targetMinutes: 960)
    guard case .active(let session) = machine.status else {
      Issue.record("not active")
      return
    }
    let elsewhere = try Fasting([session]).complete(at: hours(16))
    var other = machine
    other.follow([elsewhere])
    #expect(other.status == .completed(elsewhere))
    other.follow([session])
    #expect(other.status == .active(session))
    let gone = try Fasting([session]).abandon(at: hours(2))
    other.follow([gone])
    #expect(other.status == .abandoned(gone))
    other = machine
    other.follow([])
    #expect(other.status == .idle)
    var idle = FastingMachine()
    idle.follow([session])
    #expect(idle.status == .active(session))
    idle = FastingMachine()
    idle.follow([elsewhere])
    #expect(idle.status == .idle)
  }
}

@Suite("A noted fast", .timeLimit(.minutes(20)))
struct SavedActiveFastTests {
  private let start = Moments.now

  @Test("survives with its target, whatever the setting is by then")
  func roundTrip() throws {
    var machine = FastingMachine()
    machine.start(id: numbered(1), at: start, targetMinutes: 990)
    guard case .active(let session) = machine.status else {
      Issue.record("not active")
      return
    }
    let note = try #require(SavedActiveFast(session, lastEvent: start.advanced(bySeconds: 60)))
    #expect(note.targetHours == 16.5)
    let read = try #require(
      SavedActiveFast(start: note.start, lastEvent: note.lastEvent, targetHours: note.targetHours))
    #expect(read == note)
    #expect(read.session(id: numbered(1)) == session)
    #expect(SavedActiveFast(ended(1, hours: 16), lastEvent: start) == nil)
  }

  @Test(
    "without a target, or with one that nothing can mean, is of 16 hours",
    arguments: [nil, 0, -1, .nan, .infinity, 1e300, 337] as [Double?])
  func damagedTarget(hours: Double?) throws {
    let note = try #require(SavedActiveFast(start: start, lastEvent: nil, targetHours: hours))
    #expect(note.targetMinutes == 960)
  }

  @Test("a last event before the start is the start; a start that cannot be stored is no note")
  func damagedTimes() {
    let early = start.advanced(bySeconds: -60)
    #expect(SavedActiveFast(start: start, lastEvent: early, targetHours: 16)?.lastEvent == start)
    for milliseconds in [-1, 0, 1 << 47, Int64.max, .min] {
      let date = WallTime(milliseconds: milliseconds)
      #expect(SavedActiveFast(start: date, lastEvent: nil, targetHours: 16) == nil)
    }
  }
}

@Suite("Elapsed time", .timeLimit(.minutes(20)))
struct ElapsedTextTests {
  @Test(
    "is hours and minutes that have passed, always both",
    arguments: [
      (0, "0h 0m"), (59_900, "0h 0m"), (45_000_000, "12h 30m"), (57_600_000, "16h 0m"),
      (57_599_999, "15h 59m"), (360_000_000, "100h 0m"), (-100_000, "0h 0m"),
    ] as [(Int64, String)])
  func format(milliseconds: Int64, expected: String) {
    #expect(ElapsedText.text(milliseconds: milliseconds) == expected)
  }
}
