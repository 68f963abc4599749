// SPDX-License-Identifier: Apache-2.0
// Which of Vigil's texts appear when, word for word, and when there are none.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("Vigil", .timeLimit(.minutes(20)))
struct VigilTests {
  private let on = Vigil(isOn: true)
  private let off = Vigil(isOn: false)
  private let today = LocalDay(Moments.now, in: Zones.berlin)

  private func settings(_ values: [String: String]) -> Settings {
    Settings { values[$0] }
  }

  @Test("is off unless a person turned it on")
  func offByDefault() {
    #expect(!settings([:]).vigil)
    #expect(!Vigil(settings([:])).isOn)
    #expect(!Vigil(settings(["atrest.vigil.enabled": "perhaps"])).isOn)
    #expect(Setting.vigil.defaultValue == "false")
  }

  @Test("is kept as a setting, so it survives, and reaches every device")
  func persists() throws {
    let stored = try Setting.vigil.stored(typed: "on")
    #expect(Vigil(settings([Setting.vigil.rawValue: stored])).isOn)
    #expect(Setting.vigil.rawValue == "atrest.vigil.enabled")
  }

  @Test("is everybody's: no gate is about it, and its section is in everyone's settings")
  func free() {
    for entitlement in Entitlement.allCases {
      #expect(SettingsSection.sections(for: entitlement).contains(.vigil))
    }
  }

  @Test("has 29 pieces, each exactly as it was written")
  func texts() {
    var count = 0
    func check(_ fragment: ScriptureFragment, _ expected: (text: String, citation: String)) {
      #expect(fragment.text == expected.text && fragment.citation == expected.citation)
      count += 1
    }
    for (index, expected) in VigilTexts.idle.enumerated() {
      // The first ten days of a year.
      check(Vigil.idleFragment(on: LocalDay(number: 20_454 + index)), expected)
    }
    for (index, expected) in VigilTexts.arrival.enumerated() {
      check(Vigil.arrivalFragment(fastIndex: index), expected)
    }
    for expected in VigilTexts.milestones {
      let addition = Vigil.addition(to: expected.milestone)
      #expect(addition.companion == expected.companion)
      count += 1
      check(addition.scripture, (expected.text, expected.citation))
    }
    check(Vigil.forestInscription, VigilTexts.forest)
    #expect(Vigil.fastStartLine == VigilTexts.fastStart)
    count += 1
    #expect(count == 29)
    #expect(Word.vigilSectionTitle.text == VigilTexts.title)
    #expect(Word.vigilSectionExplanation.text == VigilTexts.explanation)
  }

  @Test("adds a line and Scripture to all six milestones")
  func milestones() {
    for milestone in Milestone.allCases {
      let addition = on.milestone(milestone)
      #expect(addition?.companion.isEmpty == false)
      #expect(addition?.scripture.text.isEmpty == false)
      #expect(addition?.scripture.citation.isEmpty == false)
    }
  }

  @Test("cites book and chapter only")
  func citations() {
    let citations =
      Milestone.allCases.map { Vigil.addition(to: $0).scripture.citation }
      + (0..<10).map { Vigil.idleFragment(on: LocalDay(number: $0)).citation }
      + (0..<5).map { Vigil.arrivalFragment(fastIndex: $0).citation }
      + [Vigil.forestInscription.citation]
    for citation in citations {
      #expect(citation.wholeMatch(of: /[A-Z][a-z]+ [0-9]+/) != nil, "\(citation)")
    }
  }

  @Test("has one line for a day, however often it is looked at")
  func sameDay() throws {
    let morning = LocalDay(instant("2026-11-21T05:00:00Z"), in: Zones.berlin)
    let evening = LocalDay(instant("2026-11-21T22:59:59Z"), in: Zones.berlin)
    #expect(on.idle(on: morning) == on.idle(on: evening))
    #expect(on.idle(on: today) != nil)
  }

  @Test("has another line the next day, every day of eight years")
  func nextDay() {
    for number in 20_000..<23_000 {
      let (a, b) = (LocalDay(number: number), LocalDay(number: number + 1))
      #expect(Vigil.idleFragment(on: a).text != Vigil.idleFragment(on: b).text, "\(a.iso)")
    }
  }

  @Test("counts the days of the year as calendars do")
  func dayOfYear() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for number in stride(from: 0, to: 60_000, by: 17) {
      let date = WallTime(seconds: Double(number) * 86_400)
      try #require(
        LocalDay(number: number).ofYear == calendar.ordinality(of: .day, in: .year, for: date.date))
    }
  }

  @Test("takes arrivals in turn, five of them")
  func arrivalCycles() {
    #expect(Vigil.arrivalFragment(fastIndex: 0) == Vigil.arrivalFragment(fastIndex: 5))
    #expect(Vigil.arrivalFragment(fastIndex: 0) != Vigil.arrivalFragment(fastIndex: 1))
    #expect(Set((0..<5).map { Vigil.arrivalFragment(fastIndex: $0).text }).count == 5)
    #expect(Vigil.arrivalFragment(fastIndex: -3) == Vigil.arrivalFragment(fastIndex: 3))
    #expect(!Vigil.arrivalFragment(fastIndex: .min).text.isEmpty)
  }

  @Test("has words for a fast that reached its target, and none for one that ended early")
  func incomplete() {
    #expect(
      on.arrival(of: ended(1, hours: 16), completed: 1) == Vigil.arrivalFragment(fastIndex: 1))
    #expect(on.arrival(of: ended(1, hours: 12), completed: 1) == nil)
    #expect(on.arrival(of: ended(1, hours: 6), completed: 1) == nil)
    #expect(on.arrival(of: ended(1, hours: 17, outcome: .abandoned), completed: 1) == nil)
  }

  @Test("inscribes a forest that has trees, and not an empty one")
  func forestInscription() {
    let canvas = ForestCanvas(width: 390, screenHeight: 844)
    let inscription = on.forest(ForestLayout(trees: forest(1), canvas: canvas))
    #expect(inscription?.text == "Consider how they grow.")
    #expect(on.forest(ForestLayout(trees: [], canvas: canvas)) == nil)
  }

  @Test("has a line for a fast that begins")
  func fastStart() {
    #expect(on.fastStart == "You have set this time apart.")
  }

  @Test("turned off says nothing, anywhere, at once")
  func silent() {
    let canvas = ForestCanvas(width: 390, screenHeight: 844)
    #expect(off.idle(on: today) == nil && off.fastStart == nil)
    #expect(Milestone.allCases.allSatisfy { off.milestone($0) == nil })
    #expect(off.arrival(of: ended(1, hours: 16), completed: 3) == nil)
    #expect(off.forest(ForestLayout(trees: forest(3), canvas: canvas)) == nil)
  }

  @Test("has nothing in the calendar: what a day tells are date, length and how it ended")
  func calendar() throws {
    let entry = try #require(CalendarEntry(ended(1, hours: 16)))
    #expect(
      MonthGrid.detail(of: entry, in: Zones.utc) == ["21 Nov 2026", "16h 0m", "Completed"])
    let scripture = VigilTexts.idle.map(\.text) + VigilTexts.arrival.map(\.text)
    for word in Word.allCases where word.rawValue.hasPrefix("calendar.") {
      #expect(!scripture.contains(word.text))
    }
  }

  @Test("is set in light serif letters, in the stars' light at 60 %, citations at 40 %")
  func style() {
    #expect(Vigil.Style.fontFamily == "serif" && Vigil.Style.fontWeight == 300)
    #expect(Palette.scriptureOpacity == 0.60 && Palette.citationOpacity == 0.40)
    #expect(Vigil.Style.scriptureTracking == 1.2 && Vigil.Style.citationTracking == 1.6)
  }

  @Test("the line of a beginning comes, stays, and is gone after about four seconds")
  func startTiming() {
    let shown = { Vigil.Timing.fastStart(after: $0) }
    #expect(shown(0) == 0 && shown(-1) == 0)
    #expect(shown(0.3) > 0.5 && shown(0.3) < 1)
    #expect(shown(0.6) == 1 && shown(3.0) == 1)
    #expect(shown(3.5) < 1 && shown(3.5) > 0)
    #expect(shown(3.9) < 1e-9 && shown(100) < 1e-9)
  }

  @Test("a citation is asked for by half a second's press, and shown for two seconds")
  func citationTiming() {
    let shown = { Vigil.Timing.citation(after: $0) }
    #expect(Vigil.Timing.citationPress == 0.5 && Vigil.Timing.citationHold == 2)
    #expect(shown(0) == 0 && shown(0.3) == 1 && shown(1.99) == 1)
    #expect(shown(2.25) < 1 && shown(2.5) < 1e-9)
  }

  @Test("can be heard: a label for each line and each citation")
  func accessibility() {
    let fragment = Vigil.forestInscription
    #expect(fragment.spokenText == "Scripture: Consider how they grow.")
    #expect(fragment.spokenCitation == "From Luke 12")
  }
}

@Suite("Motion", .timeLimit(.minutes(20)))
struct MotionTests {
  @Test("begins at nothing and ends at everything, and never goes back")
  func curves() {
    for curve in [Motion.Curve.easeIn, .easeOut, .easeInOut] {
      #expect(curve.value(at: 0) < 1e-6 && curve.value(at: 1) > 1 - 1e-6)
      var last = 0.0
      for step in 0...100 {
        let value = curve.value(at: Double(step) / 100)
        #expect(value >= last - 1e-9)
        last = value
      }
    }
    #expect(Motion.Curve.easeIn.value(at: 0.3) < 0.3)
    #expect(Motion.Curve.easeOut.value(at: 0.3) > 0.3)
    #expect(abs(Motion.Curve.easeInOut.value(at: 0.5) - 0.5) < 1e-9)
  }

  @Test("takes the time that each thing takes")
  func durations() {
    #expect(Motion.ease.duration == 0.4 && Motion.slow.duration == 0.6)
    #expect(Motion.arrival.duration == 1.2 && Motion.arrival.curve == .easeOut)
    #expect(Motion.starAppear.duration == 1.2 && Motion.starAppear.delay == 0.4)
    #expect(Motion.starAppear.curve == .easeIn)
    #expect(Motion.scriptureFadeIn.duration == 0.6 && Motion.scriptureFadeOut.duration == 0.8)
    #expect(Motion.scriptureDelayed.duration == 0.4 && Motion.scriptureDelayed.delay == 0.4)
    #expect(Motion.citationReveal.duration == 0.3 && Motion.citationDismiss.duration == 0.5)
  }

  @Test("is at once where a person asked for less of it")
  func reduced() {
    for motion in [
      Motion.ease, .slow, .arrival, .starAppear, .scriptureFadeIn, .scriptureFadeOut,
      .scriptureDelayed, .citationReveal, .citationDismiss,
    ] {
      #expect(motion.value(after: 0, reduceMotion: true) == 1)
      #expect(motion.value(after: 0) == 0)
    }
    #expect(Vigil.Timing.fastStart(after: 0, reduceMotion: true) == 1)
    #expect(Vigil.Timing.fastStart(after: 3.1, reduceMotion: true) == 0)
  }
}

@Suite("The arrival", .timeLimit(.minutes(20)))
struct ArrivalTests {
  @Test("the tree becomes whole in 1.2 s; the star follows after 0.4 s")
  func order() {
    let arrival = Arrival(from: 0.8, isEstablished: true, vigil: false)
    let start = arrival.frame(after: 0)
    #expect(abs(start.progress - 0.8) < 1e-9 && start.star == 0 && start.scripture == 0)
    #expect(arrival.frame(after: 0.4).star == 0)
    #expect(arrival.frame(after: 0.5).star > 0)
    #expect(arrival.frame(after: 1.2).progress == 1)
    #expect(arrival.frame(after: 1.6).star == 1)
    #expect(arrival.frame(after: 10).scripture == 0)
  }

  @Test("with Vigil, Scripture comes after 0.8 s, and stays until the person acts")
  func scripture() {
    let arrival = Arrival(from: 1, isEstablished: true, vigil: true)
    #expect(arrival.frame(after: 0.8).scripture == 0)
    #expect(arrival.frame(after: 0.9).scripture > 0)
    #expect(arrival.frame(after: 1.4).scripture == 1)
    #expect(!arrival.frame(after: 3600).isOver)
  }

  @Test("without Vigil it is over after three seconds")
  func over() {
    let arrival = Arrival(from: 1, isEstablished: true, vigil: false)
    #expect(!arrival.frame(after: 2.9).isOver && arrival.frame(after: 3).isOver)
  }

  @Test("a fast that ended early has no star and no Scripture")
  func early() {
    let arrival = Arrival(from: 0.8, isEstablished: false, vigil: true)
    let late = arrival.frame(after: 5)
    #expect(late.progress == 0.8 && late.star == 0 && late.scripture == 0 && late.isOver)
  }
}
