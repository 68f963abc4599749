// SPDX-License-Identifier: Apache-2.0
// Draws the live timer: state to lines. Pure.

import AtrestCommandLine
import AtrestDomain
import Foundation

/// A run of text in one style.
struct TimerSpan: Hashable {
  /// The style of a run.
  enum Ink: Hashable {
    /// The time and emphasised labels.
    case highlight
    /// Secondary text.
    case accent
    /// De-emphasised text.
    case muted
    /// Vigil's text at an opacity of 0 to 1.
    case scripture(Double)
    /// A citation at an opacity of 0 to 1.
    case citation(Double)
    /// A cell of a drawing.
    case cell(RGB?, isDim: Bool, isBold: Bool)
  }

  var text: String
  var ink: Ink
}

/// A line of the screen.
struct TimerLine: Hashable {
  var spans: [TimerSpan]

  init(_ spans: [TimerSpan] = []) {
    self.spans = spans
  }

  init(_ text: String, _ ink: TimerSpan.Ink) {
    spans = [TimerSpan(text: text, ink: ink)]
  }

  /// The text without styles.
  var plain: String { spans.map(\.text).joined() }

  func centred(_ columns: Int) -> TimerLine {
    let blanks = max(0, (columns - plain.count) / 2)
    return TimerLine(
      [TimerSpan(text: String(repeating: " ", count: blanks), ink: .muted)] + spans)
  }

  /// The line with escape sequences.
  func painted(_ style: Style) -> String {
    spans.map { span in
      switch span.ink {
      case .highlight:
        style.colours == .none
          ? style.strong(span.text) : style.ink(Palette.highlight, style.strong(span.text))
      case .accent: style.ink(Palette.accent, span.text)
      case .muted:
        style.colours == .none ? style.quiet(span.text) : style.ink(Palette.muted, span.text)
      case .scripture(let part): faded(span.text, part, Palette.scriptureOpacity, style)
      case .citation(let part): faded(span.text, part, Palette.citationOpacity, style)
      case .cell(let colour, let isDim, let isBold):
        style.paint(span.text, foreground: colour, isDim: isDim, isBold: isBold)
      }
    }.joined()
  }

  /// A blend of starlight over the background. Without colours it is either shown or blank. While
  /// it fades it may be too faint to be read, and not when it stands.
  private func faded(
    _ text: String, _ part: Double, _ opacity: Double, _ style: Style
  ) -> String {
    if style.colours == .none {
      return part > 0 ? style.quiet(text) : text.map { _ in " " }.joined()
    }
    let colour = style.starlight(part * opacity)
    return part < 1 ? style.ink(colour, text, least: 1) : style.ink(colour, text)
  }
}

/// Lays out the live timer on a terminal.
struct TimerScreen {
  private let model: TimerModel
  private let columns: Int
  private let rows: Int

  /// Below this width only what fits is shown.
  static let leastColumns = 20

  init(_ model: TimerModel) {
    self.model = model
    // The last column stays empty, because terminals differ in when they wrap.
    columns = max(1, model.size.columns - 1)
    rows = max(1, model.size.rows)
  }

  /// From this height on there is a place for notices.
  private static let roomyRows = 20
  /// The rows of that place, for a sentence of two lines.
  private static let noticeRows = 3

  /// The place for notices, empty or not.
  private func noticeLines() -> [TimerLine] {
    var lines = model.notice.map { wrapped($0.text, .muted) } ?? []
    lines += Array(repeating: TimerLine(), count: max(0, Self.noticeRows - lines.count))
    return lines
  }

  /// Lines that stay together. If the screen is too small, the least important blocks are dropped.
  private struct Block {
    var lines: [TimerLine]
    /// 0 is dropped last.
    var importance: Int
  }

  /// The lines of the screen, one per terminal row.
  func lines() -> [TimerLine] {
    let help = helpLines()
    let bottom = Array(help.suffix(max(0, rows - 1)))
    // Room for a notice, and for the hint to undo, is kept free where there is some, so that the
    // tree keeps its size when they come.
    let isRoomy = model.overlay == nil && rows >= Self.roomyRows
    let reserved = isRoomy ? max(0, helpLines(canUndo: true).count - bottom.count) : 0
    let below = isRoomy ? noticeLines() : []
    let room = rows - bottom.count - reserved - below.count
    var blocks = model.overlay == nil ? timerBlocks() : overlayBlocks(rows: room)
    while blocks.reduce(0, { $0 + $1.lines.count }) > room, blocks.count > 1,
      let least = blocks.indices.max(by: { blocks[$0].importance < blocks[$1].importance })
    {
      blocks.remove(at: least)
    }
    let words = Array(blocks.flatMap(\.lines).prefix(room))
    let picture = model.overlay == nil ? tree(rows: room - words.count) : []
    let above = (room - words.count - picture.count) / 2
    var screen = Array(repeating: TimerLine(), count: max(0, above)) + picture + words
    screen += Array(repeating: TimerLine(), count: max(0, room - screen.count))
    screen += below + Array(repeating: TimerLine(), count: reserved)
    return (screen + bottom).map { $0.centred(columns) }
  }

  // MARK: - The timer

  private func timerBlocks() -> [Block] {
    var blocks: [Block] = []
    func add(_ text: String, _ ink: TimerSpan.Ink, _ importance: Int) {
      blocks.append(Block(lines: wrapped(text, ink), importance: importance))
    }
    let blank = Block(lines: [TimerLine()], importance: 8)
    switch model.machine.status {
    case .idle:
      add(Word.timerIdlePrompt.text, .highlight, 0)
    case .active(let session):
      let elapsed = session.elapsedMilliseconds(at: model.context.now)
      add(ElapsedText.text(milliseconds: elapsed), .highlight, 0)
      blocks.append(blank)
      if let milestone = Milestone(elapsedMilliseconds: elapsed) {
        add(milestone.companionText, .accent, 3)
        if let addition = model.vigil.milestone(milestone) { add(addition.companion, .accent, 5) }
      }
    case .completed(let session):
      add(
        ElapsedText.text(milliseconds: session.elapsedMilliseconds(at: model.context.now)),
        .highlight, 1)
      add(
        TreeMapper.state(of: session) == .established
          ? Word.timerCompletedLabel.text : "\(SessionWords.ending(session)).", .highlight, 0)
    case .abandoned:
      add(Word.timerAbandonedLabel.text, .accent, 0)
    }
    if let begun = model.begun, let line = model.vigil.fastStart,
      model.seconds(since: begun) < TimerModel.fastStartSeconds
    {
      let shown = Vigil.Timing.fastStart(
        after: model.seconds(since: begun), reduceMotion: model.reduceMotion)
      add(line, .scripture(shown), 4)
    } else if let fragment = model.fragment {
      add(fragment.text, .scripture(scripturePart), 4)
      if let asked = model.citationAsked {
        let part = Vigil.Timing.citation(
          after: model.seconds(since: asked), reduceMotion: model.reduceMotion)
        add(fragment.citation, .citation(part), 4)
      }
    }
    if model.machine.status.isActive {
      blocks.append(blank)
      let total = model.context.amount(model.snapshot.waterToday(model.context))
      add("\(Word.waterInlineHeader.text) \(total)", .accent, 2)
    }
    if let next = model.next {
      blocks.append(blank)
      add(SessionWords.stillOpen(next, model.context), .accent, 2)
    }
    if rows < Self.roomyRows, let notice = model.notice {
      blocks.append(blank)
      add(notice.text, .muted, 1)
    }
    return blocks
  }

  private var scripturePart: Double {
    guard case .completed = model.machine.status, let completion = model.completion else {
      return 1
    }
    return completion.arrival.frame(after: model.seconds(since: completion.at)).scripture
  }

  /// The tree in the remaining rows.
  private func tree(rows: Int) -> [TimerLine] {
    guard rows >= 6, let session = model.shown,
      var state = TreeView.state(
        of: session, at: model.context.now, model.snapshot.entitlement)
    else { return [] }
    var star: Double?
    if let completion = model.completion, state == .established {
      let frame = completion.arrival.frame(after: model.seconds(since: completion.at))
      star = frame.star
      if frame.progress < 1 { state = .materialising(progress: frame.progress) }
    }
    let drawing = TreeView.draw(
      session, state, star: star, width: min(columns, 40), height: min(rows - 1, 18))
    let shown = model.isUnicode ? drawing : drawing.ascii
    return shown.rows.map { TimerLine(DrawingView.spans($0)) } + [TimerLine()]
  }

  // MARK: - Overlays

  private func overlayBlocks(rows: Int) -> [Block] {
    let width = min(columns, 60)
    let pages: [String]
    switch model.overlay {
    case .transition: pages = [Word.transitionBody.text]
    case .paywall:
      pages = [true, false].map {
        SettingsWords.paywall(.plain, width: width, isUnicode: model.isUnicode, isWhole: $0)
      }
    case nil: return []
    }
    // Prices and terms are shown completely or not at all.
    let lines =
      pages.lazy.map { Wrapping.lines($0, width: width) }.first { $0.count <= rows }
      ?? Wrapping.lines(
        Language.text(
          "The window is too small for this page. A larger one shows it.",
          de: "Das Fenster ist zu klein für diese Seite. Ein größeres zeigt sie."), width: width)
    return [Block(lines: lines.map { TimerLine($0, .accent) }, importance: 0)]
  }

  // MARK: - Keys

  /// - Parameter canUndo: Whether to show the hint to undo; nil for what the model says.
  private func helpLines(canUndo: Bool? = nil) -> [TimerLine] {
    var keys: [String]
    switch model.overlay {
    case .transition:
      keys = ["c \(Word.transitionContinue.text)", "m \(Word.transitionLater.text)"]
    case .paywall: keys = [Language.text("any key returns", de: "eine Taste kehrt zurück")]
    case nil:
      keys =
        model.machine.status.isActive
        ? [Language.text("e end", de: "e beenden"), Language.text("l let go", de: "l loslassen")]
        : [Language.text("b begin", de: "b beginnen")]
      if model.next != nil { keys = [] }
      keys.append(Language.text("w water", de: "w Wasser"))
      if canUndo ?? model.canUndo { keys.append(Language.text("u undo", de: "u zurücknehmen")) }
      if model.next == nil, rows >= Self.roomyRows {
        if FeatureGate.forest.isOpen(for: model.snapshot.entitlement) {
          keys.append(Language.text("f forest", de: "f Wald"))
        }
        keys.append(Language.text("m month", de: "m Monat"))
      }
      keys.append(Language.text("q quit", de: "q verlassen"))
      if model.next != nil {
        keys.append(Language.text("other keys go on", de: "andere Tasten weiter"))
      }
    }
    // Key hints do not break across lines.
    var lines: [String] = []
    for key in keys {
      if let last = lines.last, last.count + 3 + key.count <= columns {
        lines[lines.count - 1] = last + "   " + key
      } else {
        lines.append(String(key.prefix(columns)))
      }
    }
    return lines.map { TimerLine($0, .muted) }
  }

  private func wrapped(_ text: String, _ ink: TimerSpan.Ink) -> [TimerLine] {
    Wrapping.balanced(text, width: min(columns, 52)).map { TimerLine($0, ink) }
  }
}
