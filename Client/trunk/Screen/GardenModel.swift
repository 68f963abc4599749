// SPDX-License-Identifier: Apache-2.0
// The state machine of the live garden. Pure: reads no clock, terminal or disk.

import AtrestCompanion
import TrunkDomain
import TrunkPresentation

/// The state of the live garden.
struct GardenModel {
  /// An input to the state machine.
  enum Event {
    /// A key was pressed.
    case key(TerminalKey)
    /// Time passed.
    case tick(WallTime)
    /// The terminal was resized.
    case resized(ScreenSize)
    /// The garden was read.
    case loaded(Garden)
    /// An effect succeeded, was refused or failed: what to say, and how many actions of this view
    /// can be undone.
    case answered(String, undoable: Int)
  }

  /// An action for the owner, who answers with `answered`.
  enum Effect: Hashable {
    case perform(GardenAction)
    /// Undo the last action of this view.
    case undo
    /// Exit the program.
    case quit
  }

  /// How near one stands.
  enum Zoom: Hashable {
    case tree
    case branch(Int)
    case twig(Twig)
  }

  private(set) var context: CommandContext
  private(set) var size: ScreenSize
  private(set) var garden = Garden()
  private(set) var zoom = Zoom.tree
  /// The part of the tree under the cursor; on a twig the twig itself.
  private(set) var node = NodeID.trunk
  /// The sprout under the cursor on a twig.
  private(set) var sprout: RecordUUID?
  private(set) var form: GardenForm?
  private(set) var notice: (text: String, until: WallTime)?
  /// Whether the page about the keys is shown.
  private(set) var isHelping = false
  /// How many actions of this view can be undone.
  private(set) var undoable = 0

  /// How long a notice stays, in milliseconds.
  private static let noticeMilliseconds: Int64 = 8_000

  init(_ context: CommandContext, size: ScreenSize) {
    (self.context, self.size) = (context, size)
  }

  /// The twig under the cursor, if it is one.
  var twig: Twig? { if case .twig(let twig) = node { twig } else { nil } }

  /// Handles one event. A key without meaning in the current state changes nothing.
  mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .key(let key):
      notice = nil
      return press(key)
    case .tick(let now):
      context = context.at(now)
      if let notice, now >= notice.until { self.notice = nil }
    case .resized(let size): self.size = size
    case .loaded(let garden):
      self.garden = garden
      keepSprout()
    case .answered(let sentence, let undoable):
      self.undoable = undoable
      say(sentence)
    }
    return []
  }

  private mutating func say(_ sentence: String) {
    notice = (sentence, context.now.advanced(by: Self.noticeMilliseconds))
  }

  // MARK: - Keys

  private mutating func press(_ key: TerminalKey) -> [Effect] {
    if isHelping {
      isHelping = false
      return key.letter == "q" ? [.quit] : []
    }
    if form != nil { return fill(key) }
    switch key {
    case .arrow(let direction): move(direction)
    case .enter: return enter()
    case .escape, .backspace, .rightClick: zoomOut()
    case .tab: selectNextGrowing()
    case .click(let column, let row): click(column: column, row: row)
    case .wheel(let isUp): turn(isUp: isUp)
    case .character("?"): isHelping = true
    case .character(let character):
      if let letter = key.letter { return press(letter: letter) }
      if let digit = character.wholeNumberValue { zoomIn(toNumber: digit) }
    case .control, .paste, .other: break
    }
    return []
  }

  private mutating func press(letter: Character) -> [Effect] {
    switch letter {
    case "p": ask(about: twig.map { .sprout(on: $0, isDraft: false) }, else: Self.noTwig)
    case "d": ask(about: twig.map { .sprout(on: $0, isDraft: true) }, else: Self.noTwig)
    case "w": askForGrowing { .water($0) }
    case "h": askForGrowing { .harvest($0) }
    case "x": askForGrowing { .uproot($0) }
    case "s": askForSun()
    case "l": form = GardenForm(.label(node), words: garden.labels[node]?.label ?? "")
    case "n": selectNextGrowing()
    case "u":
      guard undoable > 0 else {
        say("Nothing was done here yet. `trunk undo` takes back what was done before.")
        return []
      }
      return [.undo]
    case "q": return [.quit]
    default: break
    }
    return []
  }

  /// Zooms in, or plants the draft under the cursor.
  private mutating func enter() -> [Effect] {
    guard case .twig = zoom else {
      zoomIn(to: node)
      return []
    }
    guard let sprout = selectedSprout, sprout.state == .draft else { return [] }
    return [.perform(.plant(sprout.id))]
  }

  private static let noTwig = "Choose a twig first, with the arrows or its numbers."

  // MARK: - Questions

  private mutating func ask(about purpose: GardenForm.Purpose?, else sentence: String) {
    guard let purpose else { return say(sentence) }
    form = GardenForm(purpose)
  }

  /// Asks about the sprout under the cursor, or the only one that grows on the twig. Rules that
  /// already forbid the action say so before anything is typed.
  private mutating func askForGrowing(_ purpose: (Sprout) -> GardenForm.Purpose) {
    var found = selectedSprout
    if found == nil, let twig {
      let growing = garden.sprouts(on: twig).filter { $0.state == .active }
      guard growing.count <= 1 else {
        zoomIn(to: node)
        return say("Choose which one.")
      }
      found = growing.first
    }
    guard let sprout = found else {
      return say("Choose what grows first: n goes to the next.")
    }
    guard sprout.state == .active else {
      return say(GardenProblem.notGrowing(sprout.state).userMessage)
    }
    let purpose = purpose(sprout)
    if case .water = purpose, garden.meters(at: context.now, in: context.zone).water == 0 {
      return say(GardenProblem.noWater.userMessage)
    }
    form = GardenForm(purpose)
  }

  private mutating func askForSun() {
    if twig != nil, garden.meters(at: context.now, in: context.zone).sun == 0 {
      return say(GardenProblem.noSun.userMessage)
    }
    ask(about: twig.map { .shine($0) }, else: Self.noTwig)
  }

  private mutating func fill(_ key: TerminalKey) -> [Effect] {
    switch key {
    case .escape, .rightClick: form = nil
    case .enter:
      switch form?.accept() {
      case .done(let action):
        form = nil
        return [.perform(action)]
      case .refused(let problem): say(problem.userMessage)
      case .left: form = nil
      case .next, nil: break
      }
    default: form?.edit(key)
    }
    return []
  }

  // MARK: - Moving about

  /// The sprout under the cursor.
  var selectedSprout: Sprout? {
    guard case .twig = zoom else { return nil }
    return sprout.flatMap { garden.sprout($0) }
  }

  private mutating func move(_ direction: TerminalKey.Direction) {
    if case .twig(let twig) = zoom {
      switch direction {
      case .up: selectSprout(on: twig, by: -1)
      case .down: selectSprout(on: twig, by: 1)
      case .left: zoomOut()
      case .right: break
      }
      return
    }
    switch (zoom, direction) {
    case (.branch, .left): zoomOut()
    case (.branch, .right): zoomIn(to: node)
    default:
      let (across, down) =
        switch direction {
        case .up: (0, -1)
        case .down: (0, 1)
        case .left: (-1, 0)
        case .right: (1, 0)
        }
      node = picture.neighbour(of: node, across: across, down: down) ?? node
    }
  }

  private mutating func selectSprout(on twig: Twig, by step: Int) {
    let sprouts = TwigDrawing.sprouts(on: twig, in: garden, at: context.now)
    guard let index = sprouts.firstIndex(where: { $0.id == sprout }) else { return keepSprout() }
    sprout = sprouts[min(max(index + step, 0), sprouts.count - 1)].id
  }

  /// A sprout that is not on the twig any more gives the cursor to the first one.
  private mutating func keepSprout() {
    guard case .twig(let twig) = zoom else {
      sprout = nil
      return
    }
    let sprouts = TwigDrawing.sprouts(on: twig, in: garden, at: context.now)
    if !sprouts.contains(where: { $0.id == sprout }) { sprout = sprouts.first?.id }
  }

  private mutating func zoomIn(to node: NodeID) {
    switch node {
    case .trunk: return
    case .branch(let branch):
      if zoom == .branch(branch) { return }
      zoom = .branch(branch)
    case .twig(let twig): zoom = .twig(twig)
    }
    self.node = node
    keepSprout()
  }

  /// Digits name branches from afar, and twigs on a branch.
  private mutating func zoomIn(toNumber number: Int) {
    switch zoom {
    case .tree where (1...Twig.branches).contains(number): zoomIn(to: .branch(number - 1))
    case .branch(let branch):
      if let twig = Twig(branch: branch, place: number - 1) { zoomIn(to: .twig(twig)) }
    case .tree, .twig: break
    }
  }

  private mutating func zoomOut() {
    switch zoom {
    case .tree: node = .trunk
    case .branch(let branch): (zoom, node) = (.tree, .branch(branch))
    case .twig(let twig): (zoom, node) = (.branch(twig.branch), .twig(twig))
    }
    keepSprout()
  }

  /// Goes to the next sprout that grows, wherever it is.
  private mutating func selectNextGrowing() {
    let growing = garden.growing
    guard !growing.isEmpty else { return say("Nothing grows yet.") }
    let index = growing.firstIndex { $0.id == sprout }.map { ($0 + 1) % growing.count } ?? 0
    zoom = .twig(growing[index].twig)
    node = .twig(growing[index].twig)
    sprout = growing[index].id
  }

  private mutating func click(column: Int, row: Int) {
    if case .twig = zoom {
      if let clicked = picture.sprout(row: row) {
        sprout = clicked
      } else if row < 2 {
        zoomOut()
      }
      return
    }
    guard let clicked = picture.node(column: column, row: row) else { return }
    if clicked == node { zoomIn(to: clicked) } else { node = clicked }
  }

  /// The wheel moves the cursor where there is a list, and zooms the tree.
  private mutating func turn(isUp: Bool) {
    switch (zoom, isUp) {
    case (.tree, true): zoomIn(to: node)
    case (.tree, false): node = .trunk
    case (_, let isUp): move(isUp ? .up : .down)
    }
  }
}
