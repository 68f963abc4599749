// SPDX-License-Identifier: Apache-2.0
// Pictures: the hash of every byte, but for the outlines of trees, which a browser's page has: see
// Client/web/outlines.mjs.

import AtrestDomain
import AtrestPresentation
import AtrestReplication

extension PortableCase {
  static func pictures() -> [PortableCase] {
    let sessions = sessions(200)
    let trees = TreeMapper.trees(for: sessions)
    let layout = ForestLayout(
      trees: trees, canvas: ForestCanvas(width: 390, screenHeight: 844))
    let now = end.advanced(by: Milliseconds.perDay)
    let grid = MonthGrid(
      month: LocalMonth(now, in: .utc),
      entries: CalendarPolicy.entries(of: sessions, for: .premium), now: now, in: .utc,
      firstWeekday: .monday)
    var cases = [
      picture("a forest of 200 trees", ForestPicture.svg(layout, in: .utc), "e0cdbc410f594242"),
      picture(
        "a screen of it", ForestPicture.svg(layout, in: .utc, part: .screen(scrolled: 700)),
        "b8b43a4b22e2a0c0"),
      picture("a month", CalendarPicture.svg(grid, in: .utc), "38aa7ede7af3553d"),
      drawing(
        "a forest in a terminal", ForestDrawing.draw(trees, width: 100, height: 40),
        "913455c3e7200c18"),
      drawing(
        "a month in a terminal", CalendarDrawing.draw(grid, width: 80, height: 24),
        "29c30b2adbbc996a"),
    ]
    if let character = TreeCharacter(variant: 2, tone: 1) {
      cases += [
        picture(
          "half a tree", TreePicture.svg(character, .materialising(progress: 0.5)),
          "374398e6bb34aa6f"),
        picture("a tree", TreePicture.svg(character, .established), "79677cfa3a2e1028"),
      ]
    }
    let dots = TreeSilhouette.allCases.map { form in
      form.path.coverage(columns: 40, rows: 20).joined().reduce(0, +)
    }
    cases.append(
      PortableCase(
        "the areas of the eight forms", dots.map { "\($0)" }.joined(separator: " "),
        "250.5731176760166 173.25747980235226 168.64815200784628 370.9619569893661 "
          + "122.78431987962638 219.68983519637317 111.67358669136077 163.64843230890366"))
    return cases
  }

  /// When the newest fast ended.
  private static let end = WallTime(milliseconds: 1_779_278_400_000)

  /// Fasts of 16 hours, a day and a half apart, each fifth one shorter than its target.
  private static func sessions(_ count: Int) -> [Session] {
    var random = CaseRandom(seed: 0x61_7472_6573)
    return (0..<count).compactMap { index in
      let id = RecordUUID(bytes: (0..<16).map { _ in UInt8(random.below(256)) })
      let end = end.advanced(by: -Int64(count - index - 1) * 36 * Milliseconds.perHour)
      let hours: Int64 = index % 5 == 4 ? 12 : 17
      let span = Session.Span(
        start: end.advanced(by: -hours * Milliseconds.perHour), end: end, outcome: .completed)
      guard let id, let span else { return nil }
      return Session(id: id, span: span, targetMinutes: 960)
    }
  }

  private static func picture(_ name: String, _ text: String, _ hash: String) -> PortableCase {
    let newline = UInt8(ascii: "\n")
    var isOutline = false
    let lines = text.utf8.split(separator: newline, omittingEmptySubsequences: false)
    let drawn = lines.filter { line in
      if line.starts(with: "<symbol".utf8) { isOutline = true }
      defer { if line.starts(with: "</symbol".utf8) { isOutline = false } }
      return !isOutline
    }
    let bytes = Array(drawn.joined(separator: [newline]))
    return PortableCase(name, Hexadecimal.encoded(FNV1a.hash(bytes)), hash)
  }

  private static func drawing(_ name: String, _ drawing: Drawing, _ hash: String) -> PortableCase {
    picture(name, drawing.lines.joined(separator: "\n"), hash)
  }
}
