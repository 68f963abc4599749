// SPDX-License-Identifier: Apache-2.0
// Pictures of the garden: as files, and in the terminal.

import ArgumentParser
import AtrestCompanion
import AtrestPresentation
import Foundation
import TrunkPresentation

/// Where a picture goes instead of the answer.
struct PictureOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write a picture, as SVG, to this file; `-` is standard output.", valueName: "file"),
    completion: .file())
  var svg: String?
  @Option(
    help: ArgumentHelp(
      "The picture's size: points across and down; otherwise 390x844.", valueName: "WxH"))
  var size: String?
  @Flag(help: "Replace the file if there is one.") var force = false

  func validate() throws {
    try PictureFile.check(svg: svg, size: size, replacing: force)
  }

  /// Writes the picture if one was asked for.
  ///
  /// - Returns: Whether one was.
  func write<Row: Encodable>(
    _ format: FormatOptions, _ row: @autoclosure () throws -> Row,
    _ picture: (_ width: Double, _ height: Double) -> String
  ) throws -> Bool {
    guard let svg else { return false }
    let (width, height) = size.flatMap(PictureFile.size) ?? (390, 844)
    try PictureFile.write(picture(width, height), to: svg, replacing: force, format, row())
    return true
  }
}

/// Drawings of the garden as text.
enum DrawingText {
  /// The columns of a drawing: those of the terminal, or 79 for a pipe.
  static var columns: Int { Terminal.isRead ? max(20, ScreenSize.current().columns - 1) : 79 }

  /// The lines, in Unicode or ASCII as the terminal has it, without blank ones around them.
  static func text(_ drawing: NodeDrawing, _ style: Style) -> String {
    let isUnicode = Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)
    var lines = (isUnicode ? drawing.drawing : drawing.ascii).rows.map { line($0, style) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    lines = Array(lines.drop { $0.isEmpty })
    return lines.joined(separator: "\n")
  }

  /// One row, without spaces at its end.
  static func line(_ row: [Cell], _ style: Style) -> String {
    var row = row[...]
    while row.last?.character == " " { row.removeLast() }
    var line = ""
    while let first = row.first {
      // A blank has no style of its own, so it joins any run.
      let run = row.prefix {
        $0.character == " "
          || ($0.foreground, $0.isDim, $0.isBold) == (first.foreground, first.isDim, first.isBold)
      }
      line += style.paint(
        String(run.lazy.filter { !$0.isSecondHalf }.map(\.character)), foreground: first.foreground,
        isDim: first.isDim,
        isBold: first.isBold)
      row = row.dropFirst(run.count)
    }
    return line
  }
}
