// SPDX-License-Identifier: Apache-2.0
// Text can be read on a dark, a light and an unknown background, in all colours and in 256.

import AtrestDomain
import Foundation
import Testing

@testable import AtrestCommandLine

@Suite("Contrast", .timeLimit(.minutes(20)))
struct ContrastTests {
  /// Backgrounds of widespread schemes.
  static let backgrounds: [(name: String, colour: RGB)] = [
    ("black", .black), ("white", .white), ("Solarized light", RGB(hex: 0xFDF6E3)),
    ("Solarized dark", RGB(hex: 0x002B36)), ("night", Palette.canvas),
    ("GNOME", RGB(hex: 0x1E1E1E)), ("paper", RGB(hex: 0xF2EEDE)),
  ]

  /// Every colour that text is written in.
  static let inks = [
    Palette.highlight, Palette.accent, Palette.muted, Palette.starLight, Palette.stroke,
    .interpolate(from: Palette.canvas, to: Palette.starLight, t: Palette.citationOpacity),
  ]

  /// What a terminal shows of an escape sequence: the foreground of its first colour.
  private func shown(_ text: String) throws -> RGB {
    let start = try #require(text.range(of: "[38;")?.upperBound)
    let numbers = text[start...].prefix { $0 != "m" }.split(separator: ";").compactMap { Int($0) }
    if numbers.first == 2, numbers.count == 4 {
      return RGB(hex: UInt32(numbers[1] << 16 | numbers[2] << 8 | numbers[3]))
    }
    try #require(numbers.count == 2 && numbers[0] == 5)
    let number = numbers[1]
    if number >= 232 {
      let grey = UInt32(8 + 10 * (number - 232))
      return RGB(hex: grey << 16 | grey << 8 | grey)
    }
    let steps: [UInt32] = [0, 95, 135, 175, 215, 255]
    let cube = number - 16
    return RGB(hex: steps[cube / 36] << 16 | steps[cube / 6 % 6] << 8 | steps[cube % 6])
  }

  @Test("luminance and contrast are WCAG's")
  func figures() {
    #expect(abs(Contrast.ratio(.black, .white) - 21) < 0.01)
    #expect(abs(Contrast.ratio(RGB(hex: 0x777777), .white) - 4.478) < 0.01)
    #expect(abs(RGB(hex: 0x336699).luminance - 0.1251) < 0.001)
    #expect(RGB.black.luminance == 0 && abs(RGB.white.luminance - 1) < 1e-9)
  }

  @Test("every text colour has 4.5 to 1 on every background that is known", arguments: 0..<7)
  func text(index: Int) throws {
    let (name, background) = Self.backgrounds[index]
    for colours in [Colours.all, .palette256] {
      let style = Style(isOn: true, colours: colours, backdrop: .known(background))
      for ink in Self.inks + [style.starlight(Palette.citationOpacity)] {
        let ratio = Contrast.ratio(try shown(style.ink(ink, "a")), background)
        #expect(ratio >= 4.45, "\(name) \(colours) \(ink.hex) \(ratio)")
      }
      let quiet = Contrast.ratio(try shown(style.quiet("a")), background)
      #expect(quiet >= 4.45, "\(name) \(colours) quiet \(quiet)")
    }
  }

  @Test("where nobody knows the background, text can be read on black and on white")
  func unknown() throws {
    let style = Style(isOn: true, colours: .all)
    for ink in Self.inks {
      let colour = try shown(style.ink(ink, "a"))
      #expect(Contrast.ratio(colour, .black) >= 4.4 && Contrast.ratio(colour, .white) >= 4.4)
    }
  }

  @Test("a colour that can be read stays as it is, and one that fades is let be")
  func unchanged() {
    #expect(RGB.white.legible(on: .black, least: 4.5) == .white)
    let style = Style(isOn: true, colours: .all, backdrop: .known(.white))
    #expect(style.ink(.white, "a", least: 1).contains("38;2;255;255;255"))
  }

  @Test("a painted screen keeps its colours behind and after every ink")
  func painted() {
    let style = Style(isOn: true, colours: .all).atNight
    let front = "38;2;\(Palette.highlight.bytes.red);"
    #expect(style.ground.contains("48;2;13;13;26") && style.ground.contains(front))
    for text in [style.ink(Palette.accent, "a"), style.quiet("a"), style.strong("a")] {
      #expect(!text.contains("[0m") && !text.contains("[39m"))
    }
    #expect(style.ink(Palette.accent, "a").hasSuffix("\u{1B}[\(front)214;199m"))
    #expect(Style(isOn: true).atNight.ground.isEmpty && Style.plain.atNight.ground.isEmpty)
  }

  @Test(
    "COLORFGBG names the background's number",
    arguments: [
      ("15;0", Backdrop.known(.black)), ("0;15", .known(.white)), ("0;default;15", .known(.white)),
      ("12;8", .known(.black)), ("0;7", .known(.white)), ("", .unknown), ("15", .unknown),
      ("15;default", .unknown), ("1;99", .unknown),
    ])
  func environment(text: String, backdrop: Backdrop) {
    #expect(Backdrop(environment: ["COLORFGBG": text]) == backdrop)
  }

  @Test("a terminal's answer is a colour, and anything else is none")
  func answers() {
    let colour = { (text: String) in BackgroundQuestion.colour(in: Array(text.utf8)) }
    #expect(colour("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?62;c") == .white)
    #expect(colour("\u{1B}]11;rgb:00/2b/36\u{7}\u{1B}[?6c")?.hex == "#002B36")
    #expect(colour("\u{1B}[?62c") == nil)
    #expect(colour("\u{1B}]11;rgb:ffff/ffff\u{7}") == nil)
    #expect(colour("\u{1B}]11;rgb:fffff/0/0\u{7}") == nil)
    #expect(colour("\u{1B}]11;rgb:-1/0/0\u{7}") == nil)
    #expect(BackgroundQuestion.isComplete(Array("x\u{1B}[?62;4c".utf8)))
    #expect(!BackgroundQuestion.isComplete(Array("\u{1B}]11;rgb:cccc/".utf8)))
    #expect(!BackgroundQuestion.isComplete(Array("c".utf8)))
  }

  @Test(
    "a terminal is asked for its background, and what it answers counts", arguments: [true, false])
  func asked(isLight: Bool) throws {
    let atrest = try Binary()
    try atrest("vigil", "on")
    let terminal = try PseudoTerminal(columns: 60, rows: 24)
    let before = try terminal.settings()
    let process = try terminal.start(
      atrest, ["vigil"], ["COLORTERM": "truecolor", "LANG": "C.UTF-8"])
    try terminal.wait(for: "\u{1B}]11;?\u{1B}\\\u{1B}[c")
    // A terminal that knows only the second question answers that, and its background is unknown.
    try terminal.type((isLight ? "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\" : "") + "\u{1B}[?62c")
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
    #expect(try terminal.settings() == before)
    #expect(!terminal.written.contains("rgb:"), "the answer is not shown")
    let colour = try shown(terminal.written)
    #expect(Contrast.ratio(colour, .white) >= 4.4)
    #expect(isLight || Contrast.ratio(colour, .black) >= 4.4)
  }

  @Test("in a drawing digits are text, and far shapes are paler than near ones on white")
  func drawings() throws {
    let style = Style(isOn: true, colours: .all, backdrop: .known(.white))
    func ratio(_ text: String, _ colour: RGB) throws -> Double {
      Contrast.ratio(
        try shown(style.paint(text, foreground: colour, isDim: false, isBold: false)), .white)
    }
    #expect(try ratio("12", Palette.muted) >= Contrast.text)
    let earth = Palette.earthTone(2)
    let far = RGB.interpolate(from: Palette.deepNight, to: earth.light, t: 0.55)
    #expect(try ratio("\u{28FF}", far) >= Contrast.shape)
    #expect(try ratio("\u{28FF}", earth.light) > ratio("\u{28FF}", far))
  }

  @Test("a terminal that answers nothing keeps nobody waiting, and stays as it was")
  func silent() throws {
    let atrest = try Binary()
    try atrest("vigil", "on")
    let terminal = try PseudoTerminal(columns: 60, rows: 24)
    let before = try terminal.settings()
    let process = try terminal.start(atrest, ["vigil"], ["COLORTERM": "truecolor"])
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
    #expect(try terminal.settings() == before)
  }
}
