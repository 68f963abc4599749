// SPDX-License-Identifier: Apache-2.0
// Draws a calendar month in a terminal: days, and a dot in its tree's tone for each fast.

import AtrestDomain

/// A month as text.
public enum CalendarDrawing {
  /// The full width in columns: seven cells of six.
  public static let width = 42
  /// The least width in columns: seven cells of three without the trailing space. Narrower drawings
  /// lose the last weekday.
  public static let leastWidth = 20
  /// The full height in rows, for six weeks.
  public static let height = 17

  /// Draws a month centred in the given size, smaller if needed.
  ///
  /// A dot is below its day, or beside it if rows are scarce. It is filled for a fast that reached
  /// its target and open for one that ended early. Today is bold and in brackets.
  /// - Parameter width: Columns; 0 to `Drawing.limit`, like `height`.
  public static func draw(_ grid: MonthGrid, width: Int, height: Int) -> Drawing {
    var drawing = Drawing(width: width, height: height)
    let weeks = grid.weeks.count
    // Title, a blank row, the weekdays, one or two rows per week, a blank row and the key.
    let isTall = drawing.height >= 5 + weeks * 2
    let cell = min(6, max(3, drawing.width / 7))
    let left = max(0, (drawing.width - cell * 7) / 2)
    let used = 3 + weeks * (isTall ? 2 : 1) + 2
    let top = max(0, (drawing.height - used) / 2)
    write(
      grid.month.title, centredIn: cell * 7, left: left, row: top, Palette.highlight, true, &drawing
    )
    for (column, weekday) in grid.weekdays.enumerated() {
      // Two letters if three would touch; right-aligned with the days below.
      let name = String(weekday.shortName.prefix(cell < 5 ? 2 : 3))
      drawing.write(
        name, column: left + column * cell + (cell + 2) / 2 - name.count, row: top + 2,
        foreground: Palette.accent, isDim: true)
    }
    for (row, week) in grid.weeks.enumerated() {
      for (column, day) in week.enumerated() {
        guard let day else { continue }
        draw(
          day, column: left + column * cell + (cell - 2) / 2,
          row: top + 3 + row * (isTall ? 2 : 1), isTall: isTall, isNarrow: cell < 4, &drawing)
      }
    }
    drawKey(of: grid, left: left, width: cell * 7, row: top + used - 1, &drawing)
    return drawing
  }

  private static func draw(
    _ day: MonthGrid.Day, column: Int, row: Int, isTall: Bool, isNarrow: Bool,
    _ drawing: inout Drawing
  ) {
    let text = day.number < 10 ? " \(day.number)" : String(day.number)
    let colour = day.dot == nil && !day.isToday ? Palette.muted : Palette.highlight
    drawing.write(
      text, column: column, row: row, foreground: colour, isDim: day.dot == nil && !day.isToday,
      isBold: day.isToday)
    if day.isToday, isTall, !isNarrow {
      drawing.write("[", column: column - 1, row: row, foreground: Palette.accent)
      drawing.write("]", column: column + 2, row: row, foreground: Palette.accent)
    }
    guard let dot = day.dot else { return }
    mark(dot, column: isTall ? column + 1 : column + 2, row: isTall ? row + 1 : row, &drawing)
  }

  private static func mark(
    _ dot: CalendarDot, column: Int, row: Int, _ drawing: inout Drawing
  ) {
    drawing[column, row] = Cell(
      dot == .grey ? CalendarMark.endedEarly : CalendarMark.completed,
      foreground: Palette.dot(dot))
  }

  private static func drawKey(
    of grid: MonthGrid, left: Int, width: Int, row: Int, _ drawing: inout Drawing
  ) {
    let days = grid.weeks.joined().compactMap { $0 }
    guard days.contains(where: { $0.dot != nil }) else {
      write(
        Word.calendarEmpty.text, centredIn: width, left: left, row: row, Palette.muted, false,
        &drawing)
      return
    }
    let (first, second) = (Word.calendarCompleted.text, Word.calendarEndedEarly.text)
    let length = first.count + second.count + 7
    guard length <= width else { return }
    let start = left + (width - length) / 2
    let tone = days.compactMap { $0.dot }.first { $0 != .grey }
    mark(tone ?? .tone(1), column: start, row: row, &drawing)
    drawing.write(first, column: start + 2, row: row, foreground: Palette.muted, isDim: true)
    mark(.grey, column: start + first.count + 5, row: row, &drawing)
    drawing.write(
      second, column: start + first.count + 7, row: row, foreground: Palette.muted, isDim: true)
  }

  private static func write(
    _ words: String, centredIn width: Int, left: Int, row: Int, _ colour: RGB, _ isBold: Bool,
    _ drawing: inout Drawing
  ) {
    drawing.write(
      words, column: left + max(0, (width - words.count) / 2), row: row, foreground: colour,
      isBold: isBold)
  }
}
