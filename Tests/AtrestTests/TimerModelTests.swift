// SPDX-License-Identifier: Apache-2.0
// The live timer without a terminal: keys, moments, and drawing.

import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@testable import atrest

@Suite("The live timer", .timeLimit(.minutes(20)))
struct TimerModelTests {
  private static let size = ScreenSize(columns: 60, rows: 24)

  private func model(
    _ snapshot: Snapshot = .empty, size: ScreenSize = size, shown: Session? = nil
  ) -> TimerModel {
    var model = TimerModel(Fixture.context, size: size, reduceMotion: false)
    _ = model.handle(.loaded(snapshot, shown: shown))
    return model
  }

  private func snapshot(
    _ open: [Session] = [], vigil: Bool = false, _ entitlement: Entitlement = .trial,
    completed: Int = 3, transition: Bool = false
  ) -> Snapshot {
    var snapshot = Snapshot.empty
    snapshot.open = open
    snapshot.entitlement = entitlement
    snapshot.completed = completed
    snapshot.isTransitionDue = transition
    snapshot.choices = Choices { $0 == Setting.vigil.rawValue && vigil ? "true" : nil }
    return snapshot
  }

  private func text(_ model: TimerModel) -> String {
    TimerScreen(model).lines().map(\.plain).joined(separator: "\n")
  }

  private func words(_ model: TimerModel) -> String {
    text(model).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Executes an effect successfully, as the owner does.
  private func press(_ letter: Character, _ model: inout TimerModel) -> [TimerModel.Effect] {
    let effects = model.handle(.key(.character(letter)))
    for effect in effects { _ = model.handle(.did(effect)) }
    return effects
  }

  private func wait(_ seconds: TimeInterval, _ model: inout TimerModel) {
    _ = model.handle(.tick(model.context.now.advanced(bySeconds: seconds)))
  }

  @Test("between fasts it waits, and b begins one")
  func begin() {
    var model = model(snapshot())
    #expect(words(model).contains("When you're ready"))
    #expect(words(model).hasSuffix("b begin w water f forest m month q quit"))
    for letter in "elucxyz" { #expect(model.handle(.key(.character(letter))) == [], "\(letter)") }
    #expect(press("b", &model) == [.begin])
  }

  @Test("while one goes on it says how long, where one likely is, and today's water")
  func active() {
    var model = model(snapshot([Fixture.active]))
    #expect(words(model).contains("16h 0m A long fast. Your body may be"))
    #expect(words(model).contains("Today 0 ml") && words(model).contains("e end l let go w water"))
    #expect(!words(model).contains("18h"), "the target is a reference, not a countdown")
    #expect(model.handle(.key(.character("b"))) == [])
    #expect(press("w", &model) == [.water])
    #expect(words(model).contains("Noted 250 ml.") && words(model).contains("u undo"))
    wait(TimerModel.noticeSeconds, &model)
    #expect(!words(model).contains("Noted"))
    #expect(model.handle(.key(.character("u"))) == [.undo])
    _ = model.handle(.did(.undo, saying: "Undone: 250 ml, today 14:30, is taken away."))
    #expect(words(model).contains("Undone: 250 ml, today 14:30, is taken away."))
    #expect(
      model.handle(.key(.character("u"))) == [], "once: what was before that is not the timer's")
  }

  @Test(
    "an arrival: the tree becomes whole, then its star comes, then Scripture; it stays until the person goes on"
  )
  func arrival() {
    var model = model(snapshot([Fixture.completed.reopened], vigil: true))
    #expect(!text(model).contains("✦"))
    _ = model.handle(.tick(Fixture.instant("2026-11-19T11:30:00Z")))
    #expect(press("e", &model) == [.end])
    _ = model.handle(.loaded(snapshot(vigil: true), shown: Fixture.completed))
    #expect(words(model).contains("This fast is complete.") && model.isMoving)
    #expect(!text(model).contains("✦"))
    #expect(!words(model).contains("What was begun"))
    wait(3, &model)
    #expect(text(model).contains("✦"))
    let fragment = Vigil.arrivalFragment(fastIndex: 3)
    #expect(words(model).contains(fragment.text) && !words(model).contains(fragment.citation))
    #expect(!model.isMoving)
    #expect(press("c", &model) == [] && words(model).contains(fragment.citation))
    wait(TimerModel.citationSeconds, &model)
    #expect(!words(model).contains(fragment.citation))
    wait(3600, &model)
    #expect(words(model).contains("This fast is complete."))
    #expect(press("b", &model) == [.begin])
  }

  @Test("a fast that ended early has neither star nor Scripture, and no praise or blame")
  func endedEarly() {
    var early = Session(
      id: Fixture.completed.id, span: Fixture.completed.span, targetMinutes: 20 * 60)
    var model = model(snapshot([early.reopened], vigil: true))
    _ = model.handle(.tick(Fixture.instant("2026-11-19T11:30:00Z")))
    _ = press("e", &model)
    _ = model.handle(.loaded(snapshot(vigil: true), shown: early))
    wait(4, &model)
    #expect(!text(model).contains("✦") && model.fragment == nil)
    #expect(words(model).contains("16h 30m Ended early."))
    early.span = Fixture.span("2026-11-18T19:00:00Z", "2026-11-18T21:00:00Z")
    _ = model.handle(.loaded(snapshot(), shown: early))
    #expect(words(model).contains("2h 0m Ended."), "it is not in the history")
  }

  @Test("what another device does is followed")
  func follow() {
    var model = model(snapshot([Fixture.active]))
    _ = model.handle(.loaded(snapshot(), shown: nil))
    #expect(words(model).contains("When you're ready"), "deleted elsewhere")
    _ = model.handle(.loaded(snapshot([Fixture.active]), shown: nil))
    #expect(words(model).contains("16h 0m"), "begun elsewhere")
    _ = model.handle(.loaded(snapshot(), shown: Fixture.active.completed))
    #expect(words(model).contains("This fast is complete."), "ended elsewhere")
    #expect(model.completion == nil, "the arrival plays where the fast was ended")
  }

  @Test("a fast that ends beside another one stays on the screen until a key goes on to that one")
  func besideAnother() {
    let ended = Fixture.active.completed
    func end() -> TimerModel {
      var model = model(snapshot([Fixture.active, Fixture.forgotten]))
      #expect(press("e", &model) == [.end])
      _ = model.handle(.loaded(snapshot([Fixture.forgotten]), shown: ended))
      return model
    }
    var stays = end()
    #expect(
      words(stays).contains(
        "This fast is complete. Another fast is still open, since yesterday 07:00."))
    #expect(words(stays).hasSuffix("w water u undo q quit other keys go on"))
    #expect(stays.completion != nil)
    #expect(press("w", &stays) == [.water] && stays.shown == ended)
    #expect(press("e", &stays) == [], "one that was not on the screen does not end")
    #expect(stays.active == Fixture.forgotten && words(stays).contains("e end"))

    var undone = end()
    #expect(press("u", &undone) == [.undo])
    _ = undone.handle(
      .loaded(snapshot([Fixture.active, Fixture.forgotten]), shown: Fixture.active))
    #expect(undone.active == Fixture.active && undone.next == nil)

    var over = end()
    _ = over.handle(.loaded(snapshot(), shown: ended))
    #expect(over.next == nil && press("b", &over) == [.begin])

    var begun = end()
    let newer = Session(
      id: Fixture.id("3F2A0000-0000-4000-8000-000000000009"),
      span: Fixture.span("2026-11-21T13:00:00Z"), targetMinutes: 16 * 60)
    _ = begun.handle(.loaded(snapshot([newer, Fixture.forgotten]), shown: ended))
    #expect(begun.active == newer, "begun elsewhere")

    var letGo = model(snapshot([Fixture.active, Fixture.forgotten]))
    #expect(press("l", &letGo) == [.letGo] && letGo.next == Fixture.forgotten)
  }

  @Test("letting go is all right, and is no completion")
  func letGo() {
    var model = model(snapshot([Fixture.active]))
    #expect(press("l", &model) == [.letGo])
    #expect(words(model).contains("You let this one go. That is all right."))
    #expect(!text(model).contains("⣿"), "no tree stands for it")
  }

  @Test("Vigil's line at the beginning goes after about four seconds; off, nothing of it is there")
  func fastStart() {
    for isOn in [true, false] {
      var model = model(snapshot(vigil: isOn))
      _ = press("b", &model)
      var begun = Fixture.active
      begun.span = Fixture.span("2026-11-21T13:30:00Z")
      _ = model.handle(.loaded(snapshot([begun], vigil: isOn), shown: begun))
      wait(1, &model)
      #expect(words(model).contains(Vigil.fastStartLine) == isOn && model.isMoving == isOn)
      wait(3, &model)
      #expect(!words(model).contains(Vigil.fastStartLine) && !model.isMoving)
      #expect(words(model).contains("This is the day.") == isOn)
    }
  }

  @Test("the transition moment lies over everything, comes once, and either answer is remembered")
  func transition() {
    for (letter, overlay) in [("c", TimerModel.Overlay.paywall), ("m", nil)] {
      var model = model(snapshot(completed: 10, transition: true))
      #expect(words(model).contains("Ten fasts have passed here, quietly."))
      for ignored in "bewluz" { #expect(model.handle(.key(.character(ignored))) == []) }
      #expect(press(Character(letter), &model) == [.rememberTransition])
      #expect(model.overlay == overlay)
      if overlay == .paywall {
        #expect(words(model).contains("$29 a year") && words(model).contains("$79 once"))
        for key in [TerminalKey.other, .escape, .character("q"), .character("b")] {
          var left = model
          #expect(left.handle(.key(key)) == [] && left.overlay == nil, "\(key)")
        }
        #expect(press("x", &model) == [] && model.overlay == nil)
      }
      _ = model.handle(.loaded(snapshot(completed: 10, transition: true), shown: nil))
      #expect(model.overlay == nil, "not again before the dismissal is read back")
    }
    var bought = model(snapshot(completed: 10, transition: true))
    _ = bought.handle(.loaded(snapshot(.premium, completed: 10), shown: nil))
    #expect(bought.overlay == nil)
  }

  @Test("a page over the timer is shown whole, or says that the window is too small for it")
  func pages() {
    for columns in [20, 60, 80] {
      for rows in 1...60 {
        var model = model(
          snapshot(completed: 10, transition: true),
          size: ScreenSize(columns: columns, rows: rows))
        for (beginning, end) in [
          ("Ten fasts", "Either way is a good way."), ("Atrest is made", "the year is over."),
        ] {
          let page = words(model)
          #expect(page.contains(beginning) == page.contains(end), "\(columns)x\(rows)")
          if rows >= 8 { #expect(page.contains(end) != page.contains("A larger one shows it.")) }
          if columns >= 60, rows >= 24 { #expect(page.contains(end)) }
          if page.contains("$79"), columns >= 60, rows >= 40 {
            #expect(page.contains("Privacy Policy"))
          }
          _ = press("c", &model)
        }
      }
    }
  }

  private func snapshot(_ entitlement: Entitlement, completed: Int) -> Snapshot {
    snapshot([], entitlement, completed: completed)
  }

  @Test("without a forest there is no tree, and nothing is said of it")
  func free() {
    let withTree = model(snapshot([Fixture.active], .trial))
    let without = model(snapshot([Fixture.active], .free))
    #expect(text(withTree).contains { $0.isBraille } && !text(without).contains { $0.isBraille })
    #expect(words(without).contains("16h 0m"))
    let said = words(withTree).filter { !$0.isBraille }.replacing("f forest", with: "")
    #expect(said.filter { $0 != " " } == words(without).filter { $0 != " " })
    #expect(without.active != nil && !words(without).contains("forest"))
  }

  @Test("what fails is said, and goes again")
  func failure() {
    var model = model(snapshot([Fixture.active]))
    _ = model.handle(.failed(FastingRefusal.alreadyActive.userMessage))
    #expect(words(model).contains("A fast is already going on."))
    wait(TimerModel.noticeSeconds, &model)
    #expect(!words(model).contains("already"))
  }

  @Test(
    "at every size the lines are as many as the rows, none is wider than the columns, and the time is there"
  )
  func sizes() {
    for columns in [1, 7, 20, 21, 33, 80, 200] {
      for rows in [1, 2, 3, 5, 8, 12, 24, 60] {
        var model = model(
          snapshot([Fixture.active], vigil: true), size: ScreenSize(columns: columns, rows: rows))
        for _ in 0..<2 {
          let lines = TimerScreen(model).lines()
          #expect(lines.count == rows)
          #expect(lines.allSatisfy { $0.plain.count <= max(1, columns - 1) }, "\(columns)x\(rows)")
          if columns >= TimerScreen.leastColumns, rows >= 5 {
            #expect(words(model).contains("16h 0m") && words(model).contains("q quit"))
          }
          _ = press("w", &model)
        }
      }
    }
  }

  @Test("without colours there are no colours, and with them every line is what it is without")
  func painting() {
    let model = model(snapshot([Fixture.active], vigil: true))
    for style in [
      Style.plain, Style(isOn: true), Style(isOn: true, colours: .palette256),
      Style(isOn: true, colours: .all),
    ] {
      for line in TimerScreen(model).lines() {
        let painted = line.painted(style)
        if !style.isOn { #expect(!painted.contains("\u{1B}")) }
        if style.colours == .none { #expect(!painted.contains("38;")) }
        #expect(painted.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == line.plain)
      }
    }
  }

  @Test("a notice and the hint to undo leave the tree as large as it was")
  func steady() {
    for (columns, rows) in [(80, 24), (60, 30), (100, 40), (44, 26)] {
      var model = TimerModel(
        Fixture.context, size: ScreenSize(columns: columns, rows: rows), reduceMotion: true)
      _ = model.handle(.loaded(snapshot([Fixture.active]), shown: nil))
      func tree() -> [TimerLine] {
        TimerScreen(model).lines().filter { line in
          line.plain.unicodeScalars.contains { (0x2800...0x28FF).contains($0.value) }
        }
      }
      let before = tree()
      _ = model.handle(.did(.water))
      #expect(model.notice != nil && model.canUndo)
      #expect(!before.isEmpty && tree() == before, "\(columns)x\(rows)")
    }
  }

  @Test("f shows the forest where there is one, and m the month")
  func overTimer() {
    var withForest = model(snapshot([Fixture.active], .trial))
    var without = model(snapshot([Fixture.active], .free))
    #expect(press("f", &withForest) == [.forest] && press("f", &without) == [])
    #expect(press("m", &withForest) == [.month] && press("m", &without) == [.month])
  }

  @Test("as many actions can be undone as were done")
  func undoes() {
    var model = model(snapshot([Fixture.active]))
    for _ in 0..<3 { _ = model.handle(.did(.water)) }
    for _ in 0..<3 {
      #expect(press("u", &model) == [.undo])
    }
    #expect(press("u", &model) == [])
  }

  @Test("ASCII is enough where nothing else is known")
  func ascii() {
    var model = TimerModel(Fixture.context, size: Self.size, reduceMotion: true, isUnicode: false)
    _ = model.handle(.loaded(snapshot([Fixture.active]), shown: nil))
    #expect(text(model).utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("no run of events breaks it, and what it prints is allowed", arguments: seeds(20))
  func anything(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var model = model(snapshot())
    let sessions = [Fixture.active, Fixture.completed, Fixture.forgotten]
    for _ in 0..<200 {
      let event: TimerModel.Event =
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          .tick(model.context.now.advanced(bySeconds: .random(in: -1e7...1e7, using: &random)))
        case 1:
          .resized(
            ScreenSize(
              columns: .random(in: 0...120, using: &random),
              rows: .random(in: 0...50, using: &random)))
        case 2:
          .loaded(
            snapshot(
              sessions.filter { $0.span.end == nil && random.oneIn(2) }, vigil: random.oneIn(2),
              Entitlement.allCases.randomElement(using: &random) ?? .free,
              transition: random.oneIn(9)), shown: sessions.randomElement(using: &random))
        case 3: .failed("No.")
        default: .key(.character("bewluqcm".randomElement(using: &random) ?? "b"))
        }
      for effect in model.handle(event) where random.oneIn(2) {
        _ = model.handle(.did(effect))
      }
      #expect(WordPolicy.allows(text(model)), "seed \(seed)")
    }
  }
}

extension Character {
  fileprivate var isBraille: Bool {
    unicodeScalars.allSatisfy { (0x2800...0x28FF).contains($0.value) }
  }
}

extension Session {
  /// The same fast, in progress.
  fileprivate var reopened: Session {
    Session(id: id, span: Fixture.openSpan(span.start), targetMinutes: targetMinutes)
  }

  /// The same fast, completed at its target.
  fileprivate var completed: Session {
    let end = span.start.advanced(bySeconds: Double(targetMinutes) * 60)
    var copy = self
    if let ended = Session.Span(start: span.start, end: end, outcome: .completed) {
      copy.span = ended
    }
    return copy
  }
}

extension Fixture {
  fileprivate static func openSpan(_ start: WallTime) -> Session.Span {
    guard let span = Session.Span(start: start, end: nil, outcome: .active) else {
      preconditionFailure("not a span")
    }
    return span
  }
}
