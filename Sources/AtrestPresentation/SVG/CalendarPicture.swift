// SPDX-License-Identifier: Apache-2.0
// Draws a calendar month as SVG: days, and a dot in its tree's tone for each fast.

import AtrestDomain

/// A month as SVG. Deterministic: equal months give equal bytes in every process.
public enum CalendarPicture {
  /// Draws a month.
  ///
  /// - Parameters:
  ///   - zone: The zone with which the grid was laid out.
  ///   - width: In points; clamped to `TreePicture.sides`, like `height`.
  /// - Returns: An SVG 1.1 document without scripts or external references.
  public static func svg(
    _ grid: MonthGrid, in zone: ZoneOffsets, width: Double = 390, height: Double = 844
  ) -> String {
    func sane(_ side: Double) -> Double {
      let sides = TreePicture.sides
      return side.isNaN ? sides.lowerBound : min(max(side, sides.lowerBound), sides.upperBound)
    }
    return CalendarScene(grid: grid, zone: zone, width: sane(width), height: sane(height)).svg()
  }
}

/// The layout of one picture.
private struct CalendarScene {
  let grid: MonthGrid
  let zone: ZoneOffsets
  let width: Double
  let height: Double
  /// The side of a day's square in points.
  let cell: Double
  let left: Double
  let top: Double

  /// The rows of title, weekdays, weeks and key, in cells.
  private let rows: Double

  init(grid: MonthGrid, zone: ZoneOffsets, width: Double, height: Double) {
    self.grid = grid
    self.zone = zone
    self.width = width
    self.height = height
    rows = Double(grid.weeks.count) + 3
    // Sized for six weeks in every month.
    cell = min(width / 7.9, height / 9.6, 86)
    left = (width - cell * 7) / 2
    top = (height - cell * rows) / 2
  }

  private var entries: [CalendarEntry] {
    grid.weeks.joined().compactMap { $0 }.flatMap { $0.entries }
  }

  func svg() -> String {
    var markup = Markup(
      title: "\(Word.calendarTitle.text), \(grid.month.title)",
      summary: entries.isEmpty
        ? Word.calendarEmpty.text
        : entries.map { MonthGrid.detail(of: $0, in: zone).joined(separator: ", ") }
          .joined(separator: "; "),
      width: width, height: height)
    let sky = Sky(range: 0...height)
    markup.group("defs") { markup in
      sky.define(in: &markup)
      Ground.define(in: &markup)
    }
    sky.draw(in: &markup, width: width)
    Ground.draw(in: &markup, width: width, bottom: height, screen: height)
    drawSheet(in: &markup)
    markup.group("g", [("font-family", Typeface.family)]) { markup in
      drawHead(in: &markup)
      for (row, week) in grid.weeks.enumerated() {
        for (column, day) in week.enumerated() {
          if let day { draw(day, row: row, column: column, in: &markup) }
        }
      }
      drawKey(in: &markup)
    }
    return markup.finished()
  }

  private func drawSheet(in markup: inout Markup) {
    let margin = cell * 0.32
    markup.element(
      "rect",
      [
        ("x", number(left - margin)), ("y", number(top - margin * 0.6)),
        ("width", number(cell * 7 + margin * 2)),
        ("height", number(cell * rows + margin * 1.2)), ("rx", number(cell * 0.42)),
        ("fill", Palette.surface.hex), ("fill-opacity", "0.62"), ("stroke", Palette.stroke.hex),
        ("stroke-opacity", "0.45"),
      ])
  }

  private func drawHead(in markup: inout Markup) {
    write(
      grid.month.title, x: left + cell * 3.5, y: top + cell * 0.86, size: 0.42,
      colour: Palette.highlight,
      weight: "600", in: &markup)
    for (column, weekday) in grid.weekdays.enumerated() {
      write(
        weekday.shortName, x: centre(column), y: top + cell * 1.62, size: 0.25,
        colour: Palette.accent, in: &markup)
    }
  }

  private func centre(_ column: Int) -> Double { left + (Double(column) + 0.5) * cell }

  private func draw(_ day: MonthGrid.Day, row: Int, column: Int, in markup: inout Markup) {
    let x = centre(column)
    let y = top + cell * (2.36 + Double(row))
    if day.isToday {
      markup.element(
        "circle",
        [
          ("cx", number(x)), ("cy", number(y)), ("r", number(cell * 0.31)), ("fill", "none"),
          ("stroke", Palette.highlight.hex), ("stroke-opacity", "0.55"),
          ("stroke-width", number(max(1, cell * 0.022))),
        ])
    }
    write(
      String(day.number), x: x, y: y + cell * 0.115, size: 0.33,
      colour: day.dot == nil && !day.isToday ? Palette.muted : Palette.highlight, in: &markup)
    guard let dot = day.dot else { return }
    let words = day.entries.map { MonthGrid.detail(of: $0, in: zone).joined(separator: ", ") }
    drawDot(
      dot, x: x, y: y + cell * 0.46, words: words.joined(separator: "; "), in: &markup)
  }

  private func drawDot(
    _ dot: CalendarDot, x: Double, y: Double, words: String?, in markup: inout Markup
  ) {
    // Grey is close to one of the tones. A fast that ended early is a ring, so that colour alone
    // never carries the difference.
    let colour = Palette.dot(dot).hex
    let look =
      dot == .grey
      ? [
        ("r", number(cell * 0.07)), ("fill", "none"), ("stroke", colour),
        ("stroke-width", number(cell * 0.034)),
      ] : [("r", number(cell * 0.085)), ("fill", colour)]
    let attributes = [("cx", number(x)), ("cy", number(y))] + look
    guard let words else { return markup.element("circle", attributes) }
    markup.group("circle", attributes) { $0.element("title", [], words: words) }
  }

  /// The key of the dots, or a note that there are none.
  private func drawKey(in markup: inout Markup) {
    let y = top + cell * (rows - 0.46)
    guard !entries.isEmpty else {
      write(
        Word.calendarEmpty.text, x: left + cell * 3.5, y: y + cell * 0.09, size: 0.26,
        colour: Palette.muted, in: &markup)
      return
    }
    for tone in 0..<TreeCharacter.tones {
      drawDot(
        .tone(tone), x: left + cell * (0.5 + 0.24 * Double(tone)), y: y, words: nil, in: &markup)
    }
    write(
      Word.calendarCompleted.text, x: left + cell * 1.78, y: y + cell * 0.09, size: 0.25,
      colour: Palette.accent, anchor: "start", in: &markup)
    drawDot(.grey, x: left + cell * 4.36, y: y, words: nil, in: &markup)
    write(
      Word.calendarEndedEarly.text, x: left + cell * 4.66, y: y + cell * 0.09, size: 0.25,
      colour: Palette.accent, anchor: "start", in: &markup)
  }

  private func write(
    _ words: String, x: Double, y: Double, size: Double, colour: RGB, weight: String = "400",
    anchor: String = "middle", in markup: inout Markup
  ) {
    var attributes = [
      ("x", number(x)), ("y", number(y)), ("font-size", number(cell * size)),
      ("text-anchor", anchor), ("fill", colour.hex),
    ]
    if weight != "400" { attributes.append(("font-weight", weight)) }
    markup.element("text", attributes, words: words)
  }
}
