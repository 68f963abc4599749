// SPDX-License-Identifier: Apache-2.0
// The pictures of Trunk in the gallery.

import AtrestDomain
import AtrestPresentation
import TrunkDomain
import TrunkPresentation

/// Trunk's part of the gallery.
enum TrunkGallery {
  private static let gardens: [(name: String, garden: Garden)] = [
    ("empty", Gardens.empty), ("week", Gardens.firstWeek), ("grown", Gardens.grown),
    ("full", Gardens.full), ("below-zero", Gardens.belowZero),
  ]

  static func files() -> [(name: String, text: String)] { pictures() + drawings() }

  private static func drawings() -> [(name: String, text: String)] {
    let (now, grown) = (Gardens.now, Gardens.grown)
    let twig = Gardens.twig("3.5")
    let drawings = [
      ("grown", GardenDrawing.draw(grown, at: now, in: .utc, width: 80, height: 24)),
      (
        "full",
        GardenDrawing.draw(
          Gardens.full, at: now, in: .utc, width: 100, height: 30, selected: .twig(twig))
      ),
      ("week", GardenDrawing.draw(Gardens.firstWeek, at: now, in: .utc, width: 60, height: 20)),
      (
        "branch",
        BranchDrawing.draw(
          grown, branch: 2, at: now, width: 60, height: 28, selected: .twig(twig))
      ),
      ("twig", TwigDrawing.draw(grown, twig, at: now, in: .utc, width: 60, height: 28)),
    ]
    return drawings.flatMap { name, drawing in
      [
        ("terminal-trunk-\(name).html", TerminalPage.html(drawing.drawing)),
        (
          "terminal-trunk-\(name)-light.html",
          TerminalPage.html(drawing.drawing, ink: Palette.deepNight, paper: Palette.starLight)
        ),
        ("terminal-trunk-\(name).txt", drawing.lines().joined(separator: "\n") + "\n"),
        (
          "terminal-trunk-\(name)-ascii.txt",
          drawing.lines(isASCII: true).joined(separator: "\n") + "\n"
        ),
      ]
    }
  }

  private static func pictures() -> [(name: String, text: String)] {
    [("phone", 390.0, 844.0), ("wide", 1440.0, 900.0)].flatMap { screen, width, height in
      gardens.map { name, garden in
        (
          "trunk-\(name)-\(screen).svg",
          GardenPicture.svg(garden, at: Gardens.now, in: .utc, width: width, height: height)
        )
      } + [
        (
          "trunk-branch-\(screen).svg",
          BranchPicture.svg(Gardens.grown, branch: 2, at: Gardens.now, in: .utc, width: width)
        ),
        (
          "trunk-twig-\(screen).svg",
          TwigPicture.svg(
            Gardens.grown, Gardens.twig("3.5"), at: Gardens.now, in: .utc, width: width)
        ),
      ]
    }
  }
}
