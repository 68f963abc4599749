// SPDX-License-Identifier: Apache-2.0
// A page that is taller than the terminal: which of its rows are shown, and the keys that move it.

import AtrestCommandLine
import AtrestDomain
import Foundation

/// The rows of a page that are on the screen.
struct Scroll: Hashable {
  /// The first row that is shown.
  private(set) var offset = 0
  /// The rows of the page.
  private(set) var count: Int
  /// The rows of the screen that it has.
  private(set) var rows: Int

  /// - Parameter end: Whether to begin at the end, where the nearest trees are.
  init(count: Int, rows: Int, end: Bool = false) {
    (self.count, self.rows) = (count, max(1, rows))
    if end { move(by: count) }
  }

  /// The most that `offset` may be.
  private var last: Int { max(0, count - rows) }

  /// The rows that are shown.
  var shown: Range<Int> { offset..<min(count, offset + rows) }
  /// Whether there is more above, or below.
  var isMore: (above: Bool, below: Bool) { (offset > 0, offset < last) }

  /// Moves by some rows, as far as the page goes.
  mutating func move(by rows: Int) {
    offset = min(max(0, offset.addingReportingOverflow(rows).partialValue), last)
  }

  /// Keeps the place on a page or a screen of another size.
  mutating func resize(count: Int, rows: Int) {
    let part = last > 0 ? Double(offset) / Double(last) : 0
    (self.count, self.rows) = (count, max(1, rows))
    offset = Int((part * Double(last)).rounded())
  }

  /// Moves as a pager does. Returns whether the key means something here.
  mutating func press(_ key: TerminalKey) -> Bool {
    switch (key, key.letter) {
    case (.arrow(.up), _), (_, "k"): move(by: -1)
    case (.arrow(.down), _), (_, "j"), (.enter, _): move(by: 1)
    case (.wheel(let isUp), _): move(by: isUp ? -3 : 3)
    case (.character(" "), _), (_, "d"): move(by: max(1, rows - 1))
    case (.backspace, _), (_, "u"): move(by: -max(1, rows - 1))
    case (_, "g"): move(by: -count)
    case (_, "e"): move(by: count)
    default: return false
    }
    return true
  }
}

/// A page on the whole terminal, until Escape or q.
final class PageView: LiveView {
  /// Draws the page for a terminal.
  private let content: (ScreenSize) throws -> [String]
  /// Turns to another page, as months do; nil for a page without neighbours.
  private let turn: ((Int) -> Void)?
  private let style: Style
  private var size: ScreenSize
  private var page: [String]
  private var scroll: Scroll
  private(set) var isOver = false

  /// - Throws: What `content` throws.
  init(
    _ style: Style, size: ScreenSize = .current(), end: Bool = false, turn: ((Int) -> Void)? = nil,
    content: @escaping (ScreenSize) throws -> [String]
  ) throws {
    (self.style, self.size, self.turn, self.content) = (style, size, turn, content)
    page = try content(size)
    scroll = Scroll(count: page.count, rows: size.rows - 1, end: end)
  }

  /// Whether the page is taller than the screen.
  var isTall: Bool { scroll.isMore.above || scroll.isMore.below }

  var lines: [String] {
    let rows = max(1, size.rows - 1)
    let blank = max(0, (rows - page.count) / 2)
    var lines = Array(repeating: "", count: blank) + page[scroll.shown]
    lines += Array(repeating: "", count: max(0, rows - lines.count))
    return lines + [style.quiet(String(help.prefix(max(1, size.columns - 1))))]
  }

  /// The keys that do something now.
  private var help: String {
    var keys = [Language.text("q back", de: "q zurück")]
    if turn != nil { keys.append(Language.text("← → month", de: "← → Monat")) }
    if scroll.isMore.above { keys.append(Language.text("↑ up", de: "↑ hinauf")) }
    if scroll.isMore.below { keys.append(Language.text("↓ down", de: "↓ hinab")) }
    if isTall { keys.append(Language.text("Space page", de: "Leertaste Seite")) }
    let isUnicode = Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)
    let help = keys.joined(separator: "   ")
    return isUnicode
      ? help
      : help.replacingOccurrences(of: "← →", with: Language.text("left/right", de: "links/rechts"))
        .replacingOccurrences(of: "↑ ", with: "").replacingOccurrences(of: "↓ ", with: "")
  }

  var pauseMilliseconds: Int { 60_000 }

  func press(_ keys: [TerminalKey]) {
    for key in keys where !isOver {
      if scroll.press(key) { continue }
      switch (key, key.letter) {
      case (.escape, _), (_, "q"): isOver = true
      case (.arrow(.left), _): turn(by: -1)
      case (.arrow(.right), _): turn(by: 1)
      default: break
      }
    }
  }

  private func turn(by pages: Int) {
    guard let turn else { return }
    turn(pages)
    resize(to: size)
  }

  func tick() {}

  func resize() { resize(to: .current()) }

  private func resize(to size: ScreenSize) {
    self.size = size
    // What was shown stays if the replica cannot be read now.
    page = (try? content(size)) ?? page
    scroll.resize(count: page.count, rows: size.rows - 1)
  }
}
