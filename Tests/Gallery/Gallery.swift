// SPDX-License-Identifier: Apache-2.0
// Writes the pictures of docs/gallery for Scripts/gallery: `gallery FOLDER`.

import AtrestDomain
import AtrestPresentation
import Foundation

@main
enum Gallery {
  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      FileHandle.standardError.write(Data("Which folder? gallery FOLDER\n".utf8))
      exit(64)
    }
    let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files() {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
  }

  /// Every file of the gallery before rendering.
  static func files() -> [(name: String, text: String)] {
    screens.flatMap { forests($0) + trees($0) + [calendar($0)] } + terminal()
      + TrunkGallery.files()
  }

  private struct Screen {
    let name: String
    let width: Double
    let height: Double
  }

  private static let screens = [
    Screen(name: "phone", width: 390, height: 844),
    Screen(name: "wide", width: 1440, height: 900),
  ]

  private static func forests(_ screen: Screen) -> [(name: String, text: String)] {
    [0, 1, 12, 200].flatMap { count in
      let layout = ForestLayout(
        trees: Samples.trees(count),
        canvas: ForestCanvas(width: screen.width, screenHeight: screen.height))
      return [
        (
          "forest-\(count)-\(screen.name).svg",
          ForestPicture.svg(layout, in: .utc, part: part(of: layout))
        ),
        (
          "forest-\(count)-\(screen.name)-wallpaper.svg",
          ForestPicture.svg(layout, in: .utc, part: .wallpaper)
        ),
        ("forest-\(count)-\(screen.name)-whole.svg", ForestPicture.svg(layout, in: .utc)),
      ]
    }
  }

  /// The screen around the newest tree in the foreground.
  private static func part(of layout: ForestLayout) -> ForestPicture.Part {
    let near = layout.trees.filter { $0.depth == .foreground }
    guard let newest = near.max(by: { $0.tree.session.span.start < $1.tree.session.span.start })
    else { return ForestPicture.opened(layout) }
    return .screen(scrolled: newest.y - layout.canvas.screenHeight * 0.6)
  }

  private static let states: [(name: String, state: TreeState)] = [
    ("5", .materialising(progress: 0.05)), ("50", .materialising(progress: 0.5)),
    ("100", .established), ("incomplete", .incomplete),
  ]

  private static func trees(_ screen: Screen) -> [(name: String, text: String)] {
    states.map { name, state in
      (
        "tree-\(name)-\(screen.name).svg",
        TreePicture.svg(
          Samples.character, state, width: screen.width, height: screen.height)
      )
    }
  }

  private static func calendar(_ screen: Screen) -> (name: String, text: String) {
    (
      "calendar-\(screen.name).svg",
      CalendarPicture.svg(Samples.month, in: .utc, width: screen.width, height: screen.height)
    )
  }

  private static func terminal() -> [(name: String, text: String)] {
    let drawings: [(name: String, drawing: Drawing)] =
      [
        ("forest-12", ForestDrawing.draw(Samples.trees(12), width: 80, height: 24)),
        ("forest-40", ForestDrawing.draw(Samples.trees(40), width: 100, height: 30)),
        ("calendar", CalendarDrawing.draw(Samples.month, width: 46, height: 18)),
      ]
      + states.map { name, state in
        ("tree-\(name)", TreeDrawing.draw(Samples.character, state, width: 40, height: 18))
      }
    return drawings.flatMap { name, drawing in
      [
        ("terminal-\(name).html", TerminalPage.html(drawing)),
        ("terminal-\(name)-light.html", TerminalPage.html(light(drawing), paper: .white)),
        ("terminal-\(name).txt", drawing.lines.joined(separator: "\n") + "\n"),
      ]
    }
  }

  /// A drawing in the colours that a white terminal gets.
  private static func light(_ drawing: Drawing) -> Drawing {
    var light = drawing
    for row in 0..<drawing.height {
      for column in 0..<drawing.width {
        let cell = drawing[column, row]
        let isText = cell.character.isLetter || cell.character.isNumber
        light[column, row].foreground =
          isText
          ? cell.foreground?.legible(on: .white, least: Contrast.text)
          : cell.foreground?.mirrored.legible(on: .white, least: Contrast.shape)
      }
    }
    return light
  }
}
