// SPDX-License-Identifier: Apache-2.0
// The live garden without a terminal: moving about, questions, and drawing.

import AtrestCompanion
import AtrestTestSupport
import Testing
import TrunkDomain

@testable import trunk

@Suite("The live garden", .timeLimit(.minutes(20)))
struct GardenModelTests {
  private static let now = WallTime(milliseconds: 1_800_000_000_000)
  private static let size = ScreenSize(columns: 80, rows: 30)

  private let twig: Twig
  private let book: Sprout
  private let cello: Sprout
  private let garden: Garden

  init() throws {
    twig = try #require(Twig(typed: "3.5"))
    book = try Self.sprout("Middlemarch", on: twig, "1", isPlanted: true)
    cello = try Self.sprout("Cello", on: twig, "2", isPlanted: false)
    garden = Garden(sprouts: [book, cello])
  }

  private static func sprout(
    _ title: String, on twig: Twig, _ last: String, isPlanted: Bool
  ) throws -> Sprout {
    let plan = Sprout.Plan(.oneMonth, .firm)
    let id = try #require(RecordUUID(uuidString: "00000000-0000-4000-8000-00000000000" + last))
    var sprout = Sprout(id: id, title: title, twig: twig, plan: plan, created: now)
    if isPlanted { sprout.planting = Sprout.Planting(at: now, plan: plan) }
    return sprout
  }

  private func model(_ garden: Garden? = nil, size: ScreenSize = size) -> GardenModel {
    let context = CommandContext(now: Self.now, zone: .utc)
    var model = GardenModel(context, size: size)
    _ = model.handle(.loaded(garden ?? self.garden))
    return model
  }

  private func text(_ model: GardenModel) -> String {
    model.lines(.plain, isUnicode: true).joined(separator: "\n")
  }

  private func type(_ text: String, _ model: inout GardenModel) {
    for character in text { #expect(model.handle(.key(.character(character))) == []) }
  }

  /// Puts the cursor on a twig of its branch: the first one is the lowest.
  private func choose(_ twig: Twig, _ model: inout GardenModel) {
    type(String(twig.branch + 1), &model)
    for _ in 0..<(Twig.perBranch - twig.place) { _ = press(.arrow(.down), &model) }
    #expect(model.node == .twig(twig))
  }

  private func press(_ key: TerminalKey, _ model: inout GardenModel) -> [GardenModel.Effect] {
    model.handle(.key(key))
  }

  @Test("digits zoom to a branch and a twig, escape goes back, one step at a time")
  func zoom() {
    var model = model()
    #expect(model.zoom == .tree && model.node == .trunk)
    type("3", &model)
    #expect(model.zoom == .branch(2) && text(model).contains("branch 3"))
    type("5", &model)
    #expect(model.zoom == .twig(twig) && model.sprout == book.id)
    #expect(press(.escape, &model) == [])
    #expect(model.zoom == .branch(2) && model.node == .twig(twig) && model.sprout == nil)
    #expect(press(.arrow(.left), &model) == [])
    #expect(model.zoom == .tree && model.node == .branch(2))
    type("90", &model)
    #expect(model.zoom == .tree, "there are eight")
  }

  @Test("arrows and enter go wherever digits go: each part of the tree can be reached")
  func arrows() {
    var reached: Set<NodeID> = [.trunk]
    var open = [model()]
    while let from = open.popLast() {
      for direction in TerminalKey.Direction.allCases {
        var next = from
        _ = press(.arrow(direction), &next)
        if reached.insert(next.node).inserted { open.append(next) }
      }
    }
    #expect(reached.count == 1 + Twig.branches + Twig.all.count)
  }

  @Test("a click chooses what is drawn there, another one zooms in, the right button zooms out")
  func mouse() throws {
    var model = model()
    let cell = try #require(model.picture.cell(of: .twig(twig)))
    let click = TerminalKey.click(column: cell.column, row: cell.row)
    _ = press(click, &model)
    #expect(model.zoom == .tree && model.node == .twig(twig))
    _ = press(click, &model)
    #expect(model.zoom == .twig(twig))
    let row = try #require((0..<30).first { model.picture.sprout(row: $0) == cello.id })
    _ = press(.click(column: 5, row: row), &model)
    #expect(model.sprout == cello.id)
    _ = press(.rightClick, &model)
    #expect(model.zoom == .branch(2))
    _ = press(.click(column: 79, row: 1_000_000), &model)
    #expect(model.zoom == .branch(2))
  }

  @Test("what grows is watered, with words that keep their case and may hold any key")
  func water() {
    var model = model()
    type("35", &model)
    #expect(press(.character("W"), &model) == [])
    #expect(text(model).contains("Water “Middlemarch”."))
    type("Quiet, q w u? ", &model)
    #expect(press(.paste("two\nlines"), &model) == [])
    #expect(press(.backspace, &model) == [])
    #expect(
      press(.enter, &model)
        == [.perform(.water(book.id, note: "Quiet, q w u? two line"))])
    #expect(model.form == nil)
    _ = model.handle(.answered("Watered.", undoable: 1))
    #expect(text(model).contains("Watered.") && text(model).contains("u undo"))
  }

  @Test("escape leaves a question, and nothing was done")
  func cancelled() {
    var model = model()
    type("35", &model)
    for letter in "pdwshxl" {
      #expect(press(.character(letter), &model) == [])
      #expect(model.form != nil, "\(letter)")
      #expect(press(.escape, &model) == [])
      #expect(model.form == nil && model.zoom == .twig(twig))
    }
  }

  @Test("planting asks for the goal, its season and its ground, and says what it takes")
  func plant() throws {
    var model = model()
    let chosen = Twig.all[7]
    choose(chosen, &model)
    _ = press(.character("p"), &model)
    #expect(press(.enter, &model) == [])
    #expect(text(model).contains("A title has 1 to 60 characters"), "none was typed")
    type("Walk", &model)
    #expect(press(.enter, &model) == [])
    #expect(text(model).contains("> 1 month"))
    #expect(press(.arrow(.down), &model) == [])
    #expect(press(.enter, &model) == [])
    #expect(text(model).contains("firm, a stretch: 8 soil"))
    type("2", &model)
    #expect(
      press(.enter, &model)
        == [
          .perform(
            .sprout(
              title: "Walk", on: chosen, Sprout.Plan(.threeMonths, .firm), isDraft: false))
        ])
  }

  @Test("a draft is planted by enter; what grows is not")
  func plantDraft() {
    var model = model()
    type("35", &model)
    #expect(press(.enter, &model) == [])
    #expect(press(.arrow(.down), &model) == [])
    #expect(model.sprout == cello.id)
    #expect(press(.enter, &model) == [.perform(.plant(cello.id))])
  }

  @Test("a harvest asks how it went, then for words")
  func harvest() {
    var model = model()
    type("35h5", &model)
    #expect(press(.enter, &model) == [])
    type("Done", &model)
    #expect(
      press(.enter, &model)
        == [.perform(.harvest(book.id, .exceptional, reflection: "Done"))])
  }

  @Test("uprooting asks, and no is the answer that enter gives")
  func uproot() {
    var model = model()
    type("35x", &model)
    #expect(press(.enter, &model) == [] && model.form == nil)
    type("x2", &model)
    #expect(press(.enter, &model) == [.perform(.uproot(book.id))])
  }

  @Test("what a rule forbids is said before anything is typed")
  func forbidden() throws {
    let waterings = try (1...3).map { number in
      Watering(
        id: try #require(
          RecordUUID(uuidString: "00000000-0000-4000-8000-0000000000a\(number)")),
        sprout: book.id, at: Self.now, day: GardenDay(Self.now, in: .utc), note: nil)
    }
    let shining = Shining(
      id: book.id, twig: twig, at: Self.now, week: GardenWeek(Self.now, in: .utc), note: nil)
    var model = model(Garden(sprouts: [book, cello], waterings: waterings, shinings: [shining]))
    type("35w", &model)
    #expect(model.form == nil && text(model).contains("The day's water is used."))
    type("s", &model)
    #expect(model.form == nil && text(model).contains("The week's sun is used."))
    _ = press(.arrow(.down), &model)
    type("h", &model)
    #expect(model.form == nil && text(model).contains("That is a draft."))
  }

  @Test("from afar, a twig with one sprout that grows can be watered, one with two asks which")
  func fromAfar() throws {
    var model = model()
    choose(twig, &model)
    type("w", &model)
    #expect(model.form?.purpose == .water(book))
    var second = cello
    second.planting = book.planting
    model = self.model(Garden(sprouts: [book, second]))
    choose(twig, &model)
    type("w", &model)
    #expect(model.form == nil && model.zoom == .twig(twig))
    #expect(text(model).contains("Choose which one."))
  }

  @Test("a sprout that another device took off the twig gives the cursor away")
  func gone() {
    var model = model()
    type("35", &model)
    _ = press(.arrow(.down), &model)
    #expect(model.sprout == cello.id)
    _ = model.handle(.loaded(Garden(sprouts: [book])))
    #expect(model.sprout == book.id)
    _ = model.handle(.loaded(Garden()))
    #expect(model.sprout == nil)
    #expect(press(.arrow(.down), &model) == [] && press(.enter, &model) == [])
  }

  @Test("n goes to what grows; u only to what was done here; q leaves, also from the keys' page")
  func letters() {
    var model = model()
    type("n", &model)
    #expect(model.zoom == .twig(twig) && model.sprout == book.id)
    #expect(press(.character("u"), &model) == [])
    _ = model.handle(.answered("Watered.", undoable: 1))
    #expect(press(.character("u"), &model) == [.undo])
    type("?", &model)
    #expect(text(model).contains("Any key goes back."))
    #expect(press(.character("x"), &model) == [] && !model.isHelping && model.form == nil)
    type("?", &model)
    #expect(press(.character("q"), &model) == [.quit])
  }

  @Test("it fits any screen, whatever is pressed", arguments: seeds(60))
  func anything(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var model = model()
    let keys: [TerminalKey] =
      [
        .enter, .escape, .tab, .backspace, .rightClick, .control("u"), .wheel(isUp: true),
        .wheel(isUp: false), .paste("🌱 two\nlines"), .other,
      ] + TerminalKey.Direction.allCases.map { .arrow($0) }
    for _ in 0..<200 {
      let event: GardenModel.Event =
        switch Int.random(in: 0...9, using: &random) {
        case 0:
          .resized(
            ScreenSize(
              columns: .random(in: 1...120, using: &random),
              rows: .random(in: 1...50, using: &random)))
        case 1:
          .loaded(
            [garden, Garden(), Garden(sprouts: [cello])].randomElement(using: &random) ?? garden)
        case 2: .answered(String(repeating: "Said. ", count: 30), undoable: 1)
        case 3:
          .key(
            .click(
              column: .random(in: 0...130, using: &random),
              row: .random(in: 0...60, using: &random)))
        case 4...6:
          .key(.character("pdwshxlnu?12345678é".randomElement(using: &random) ?? "p"))
        default: .key(keys.randomElement(using: &random) ?? .other)
        }
      _ = model.handle(event)
      let lines = model.lines(.plain, isUnicode: random.oneIn(2))
      #expect(lines.count == model.size.rows, "seed \(seed)")
      let room = max(2, model.size.columns)
      #expect(lines.allSatisfy { ColumnWidth.of($0) < room }, "seed \(seed)")
    }
  }
}
