// SPDX-License-Identifier: Apache-2.0
// How a notice is given where, and that the timer gives one only to who asked.

import AtrestDomain
import Testing

@testable import AtrestCommandLine
@testable import AtrestCompanion
@testable import atrest

@Suite("A notice at the target", .timeLimit(.minutes(20)))
struct DesktopNoticeTests {
  @Test(
    "is the desktop's where there is one, else the terminal's, else a bell",
    arguments: [
      (["DISPLAY": ":0", "PATH": "/bin:/usr/bin"], .desktop(path: "/usr/bin/notify-send")),
      (
        ["WAYLAND_DISPLAY": "wayland-0", "PATH": "/usr/bin", "TMUX": "x"],
        .desktop(path: "/usr/bin/notify-send")
      ),
      (["DISPLAY": ":0", "PATH": "/bin:bin"], .bell), (["DISPLAY": "", "PATH": "/usr/bin"], .bell),
      (["PATH": "/usr/bin", "TERM": "foot"], .osc777), (["VTE_VERSION": "7200"], .osc777),
      (["TERM_PROGRAM": "WezTerm"], .osc9), (["TERM": "xterm-kitty"], .osc9),
      (["TERM": "xterm-kitty", "TMUX": "/tmp/x"], .bell), (["TERM": "xterm-256color"], .bell),
      ([:], .bell),
    ] as [([String: String], DesktopNotice.Way)])
  func ways(environment: [String: String], way: DesktopNotice.Way) {
    let found = DesktopNotice.way(environment: environment) {
      ["/usr/bin/notify-send", "bin/notify-send"].contains($0)
    }
    #expect(found == way)
  }

  @Test("moves no cursor: each sequence is a bell or ends with one")
  func sequences() {
    let text = "This fast has reached its target."
    let sequences = [DesktopNotice.Way.osc9, .osc777, .bell].map {
      DesktopNotice.sequence($0, title: "Atrest", text: text)
    }
    #expect(
      sequences == ["\u{1B}]9;\(text)\u{07}", "\u{1B}]777;notify;Atrest;\(text)\u{07}", "\u{07}"])
    #expect(DesktopNotice.sequence(.desktop(path: "/x"), title: "Atrest", text: text) == nil)
  }

  /// A timer with a fast of 18 hours that began at 22:30.
  private func timer(notice: String?) -> TimerModel {
    var snapshot = Snapshot()
    snapshot.open = [Fixture.active]
    snapshot.choices = Choices { $0 == Setting.notice.rawValue ? notice : nil }
    var model = TimerModel(
      Fixture.context, size: ScreenSize(columns: 80, rows: 24), reduceMotion: true)
    _ = model.handle(.loaded(snapshot, shown: nil))
    return model
  }

  @Test("comes once, when the target is reached while the timer is open")
  func once() {
    var model = timer(notice: "true")
    let target = Fixture.active.span.start.advanced(
      by: Int64(Fixture.active.targetMinutes) * Milliseconds.perMinute)
    #expect(model.handle(.tick(target.advanced(by: -1))).isEmpty)
    #expect(model.handle(.tick(target)) == [.notice])
    #expect(model.notice?.text == "This fast has reached its target.")
    #expect(model.handle(.tick(target.advanced(by: 1000))).isEmpty)
    // A clock that is set back does not bring it again.
    #expect(model.handle(.tick(target.advanced(by: -1000))).isEmpty)
    #expect(model.handle(.tick(target)).isEmpty)
  }

  @Test("does not come unasked", arguments: [nil, "false", "damaged"])
  func unasked(notice: String?) {
    var model = timer(notice: notice)
    let target = Fixture.active.span.start.advanced(
      by: Int64(Fixture.active.targetMinutes) * Milliseconds.perMinute)
    #expect(model.handle(.tick(target)).isEmpty && model.notice == nil)
  }

  @Test("is asked for in the settings")
  func setting() throws {
    let atrest = try Binary()
    #expect(try atrest("settings").out.contains("  notice     off\n"))
    #expect(
      try atrest("settings", "set", "notice", "on").out.hasPrefix("While `atrest timer` is open"))
    #expect(try atrest("settings", "get", "notice").out == "on\n")
    #expect(try atrest("undo").out == "Undone: notice is off again.\n")
  }
}
