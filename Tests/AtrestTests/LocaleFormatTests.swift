// SPDX-License-Identifier: Apache-2.0
// A person's locale and time zone: used if they are known, and never a reason to fail.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestFoundation
import AtrestTestSupport
import Foundation
import Testing

@testable import atrest

@Suite("A person's habits", .timeLimit(.minutes(20)))
struct MannerTests {
  private func localeFormat(_ environment: [String: String]) -> LocaleFormat {
    LocaleFormat(environment: environment)
  }

  @Test("clocks, weekdays and units follow the locale")
  func locales() {
    let american = localeFormat(["LANG": "en_US.UTF-8"])
    #expect(american.hasTwelveHours && american.firstWeekday == .sunday)
    #expect(american.unit == .fluidOunces)
    let german = localeFormat(["LANG": "de_DE.UTF-8@euro"])
    #expect(!german.hasTwelveHours && german.firstWeekday == .monday && german.unit == .millilitres)
    let mixed = localeFormat(["LANG": "en_US.UTF-8", "LC_TIME": "en_GB.UTF-8"])
    #expect(!mixed.hasTwelveHours && mixed.firstWeekday == .monday && mixed.unit == .fluidOunces)
    #expect(
      localeFormat(["LANG": "en_US.UTF-8", "LC_ALL": "ar_EG.UTF-8"]).firstWeekday == .saturday)
  }

  @Test(
    "what is no locale is plain",
    arguments: [
      "", "C", "POSIX", "C.UTF-8", "en", "xx_YY_ZZ", "_", "__", "e_U", "../..", "en_US\u{1B}[2J",
      "🙂_🙂", String(repeating: "a", count: 100_000), "en-US", ".", "@",
    ])
  func strange(value: String) {
    #expect(localeFormat(["LANG": value]) == .plain)
  }

  @Test("a locale that nobody knows has weeks from Monday and twenty-four hours")
  func unknown() {
    let nowhere = localeFormat(["LANG": "xx_YY.UTF-8"])
    #expect(!nowhere.hasTwelveHours && nowhere.firstWeekday == .monday)
    #expect(nowhere.unit == .millilitres)
  }

  @Test("clocks of twelve hours are shown, and typed by everybody")
  func twelve() throws {
    var context = Fixture.context
    context.localeFormat = localeFormat(["LANG": "en_US"])
    #expect(context.words(Fixture.instant("2026-11-21T11:05:00Z")) == "today 12:05 pm")
    #expect(context.words(Fixture.instant("2026-11-20T23:30:00Z")) == "today 12:30 am")
    #expect(context.words(Fixture.instant("2026-11-01T21:30:00Z")) == "1 Nov 2026, 10:30 pm")
    for (typed, hours) in [
      ("10:30 pm", "22:30"), ("10:30pm", "22:30"), ("yesterday 9 PM", "yesterday 21:00"),
      ("12am", "0:00"), ("12:15 pm", "12:15"), ("today 7:05 am", "today 7:05"),
    ] {
      #expect(try LocaleFormat.withTwentyFourHours(typed) == hours)
      #expect(try Fixture.context.time(typed) == Fixture.context.time(hours))
    }
    for typed in ["13:00 pm", "0 am", "pm", "x pm", ":30 pm", "-1 am"] {
      #expect(throws: InputProblem.notATime, "\(typed)") {
        _ = try Fixture.context.time(typed)
      }
    }
    #expect(try Fixture.context.time("now") == Fixture.context.now)
  }

  @Test("colours are what the terminal says")
  func colours() {
    #expect(Colours(environment: ["COLORTERM": "truecolor"]) == .all)
    #expect(Colours(environment: ["TERM": "xterm-direct"]) == .all)
    #expect(Colours(environment: ["TERM": "screen-256color"]) == .palette256)
    #expect(Colours(environment: ["TERM": "vt100"]) == .none)
    #expect(Colours(environment: [:]) == .none)
    #expect(Colours.all.code(RGB(hex: 0xE8A94E)) == "2;232;169;78")
    #expect(Colours.palette256.code(RGB(hex: 0xE8A94E)) == "5;179")
    #expect(Colours.palette256.code(RGB(hex: 0x808080)) == "5;244")
    #expect(Colours.none.code(Palette.starLight) == nil)
    // Every colour maps to one of the 256.
    for value in stride(from: UInt32(0), to: 0x1000000, by: 0x10505) {
      let code = Colours.palette256.code(RGB(hex: value))?.dropFirst(2)
      #expect(code.flatMap { Int($0) }.map { (16...255).contains($0) } == true)
    }
  }

  @Test("dots are drawn where a terminal knows them")
  func unicode() {
    func knows(_ environment: [String: String]) -> Bool {
      Terminal.isUnicode(environment: environment)
    }
    #expect(knows([:]) && knows(["LANG": "de_DE.UTF-8"]) && knows(["LC_ALL": "C.utf8"]))
    #expect(!knows(["LANG": "C"]) && !knows(["LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"]))
    #expect(!knows(["LANG": "de_DE.ISO-8859-1"]) && !knows(["TERM": "linux"]))
  }

  @Test(
    "no zone and no locale keeps the program from answering",
    arguments: [
      ("garbage", "xx_YY"), ("Asia/Kathmandu", "ne_NP.UTF-8"), ("Australia/Eucla", "en_AU.UTF-8"),
      (":/etc/passwd", "C"), ("../../../etc/passwd", "en_US.UTF-8"), ("", ""), ("AAA+99", "_"),
      ("Antarctica/Troll", "nb_NO"), ("<+1245>-12:45", "fa_IR.UTF-8"), ("\u{1B}[2J", "\u{1B}[2J"),
    ])
  func program(zone: String, locale: String) throws {
    let atrest = try Binary()
    let environment = ["TZ": zone, "LANG": locale, "LC_TIME": locale]
    for line in [
      ["fast", "start", "--at", "5h ago"], ["water", "add", "250ml"], ["fast", "complete"], [],
      ["calendar"], ["calendar", "1970-01"], ["calendar", "6429-12"], ["history"],
      ["water", "today"], ["forest"], ["tree"], ["settings"], ["status"], ["undo"],
    ] {
      let answer = try atrest.start(line, environment).wait()
      #expect(answer.code == 0 || line == ["tree"], "\(line): \(answer.err)")
    }
  }

  @Test("`TZ` may be a zone's name or its file, with a colon or without")
  func zoneForms() throws {
    let file = "/usr/share/zoneinfo/Asia/Tokyo"
    for value in ["Asia/Tokyo", ":Asia/Tokyo", file, ":" + file] {
      #expect(DeviceZone.named(value)?.identifier == "Asia/Tokyo", "\(value)")
    }
    let folder = try Folder()
    let link = folder.url.appendingPathComponent("localtime").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    #expect(DeviceZone.named(":" + link)?.secondsFromGMT() == 9 * 3600)
    // A POSIX rule or an invalid value is left to the system.
    for value in ["JST-9", "GMT+3", "CET-1CEST,M3.5.0,M10.5.0/3", "", ":", "/etc/passwd", "here"] {
      #expect(DeviceZone.named(value) == nil, "\(value)")
    }
    #expect(DeviceZone.current(at: Date(), environment: [:]) == .current)
  }

  @Test(
    "a day begins where `TZ` says, in every form of it",
    arguments: [
      (":Asia/Tokyo", ["2020-01-02", "2020-01-01"]), ("JST-9", ["2020-01-02", "2020-01-01"]),
      ("EST5", ["2020-01-01", "2019-12-31"]), ("GMT+3", ["2020-01-01", "2019-12-31"]),
      ("CET-9CEST,M3.5.0,M10.5.0/3", ["2020-01-02", "2020-01-01"]),
      ("nowhere", ["2020-01-01", "2020-01-01"]),
    ])
  func zoneOfDays(zone: String, days: [String]) throws {
    let atrest = try Binary()
    for instant in ["2020-01-01T02:00Z", "2020-01-01T20:00Z"] {
      try atrest("water", "add", "250ml", "--at", instant)
    }
    let list = try atrest("water", "list", "--all", "--json", with: ["TZ": zone]).json()
    #expect((list as? [[String: Any]])?.compactMap { $0["day"] as? String } == days)
  }

  @Test("where nothing is chosen, a number alone is in the unit that the locale shows")
  func ounces() throws {
    let atrest = try Binary()
    func american(_ line: String) throws -> Binary.Answer {
      try atrest.start(line.split(separator: " ").map(String.init), ["LANG": "en_US.UTF-8"]).wait()
    }
    #expect(try american("settings get unit").out == "oz\n")
    let unit = try american("settings get unit --json").json() as? [String: Any]
    #expect(unit?["value"] as? String == "oz" && unit?["chosen"] as? Bool == false)
    #expect(try american("water add 8").out.hasPrefix("Noted 8 fl oz"))
    #expect(try american("settings set quick-add 8").out.contains("notes 8 fl oz"))
    #expect(try american("water add").out.contains("Today: 16 fl oz"))
    let entry = try american("water list --json").json() as? [[String: Any]]
    let id = try #require(entry?.first?["id"] as? String)
    #expect(try american("water edit \(id) --amount 12").out.hasPrefix("Corrected: 12 fl oz"))
    for line in [
      "water add 250", "water add 0", "water add 169.1", "water edit \(id) --amount 250",
      "settings set quick-add 250",
    ] {
      let answer = try american(line)
      #expect(answer.code == 65 && answer.err.contains("0.1 fl oz to 169 fl oz"), "\(line)")
    }
    for line in ["water add 0.1", "water add 169", "settings set quick-add 250ml"] {
      #expect(try american(line).code == 0, "\(line)")
    }
    #expect(try american("settings set unit ml").code == 0)
    #expect(try american("water add 250").out.hasPrefix("Noted 250 ml"))
  }

  @Test("where clocks skip an hour a time in it is told of, and the day around it still adds up")
  func gap() throws {
    let berlin = Fixture.berlin
    let context = CommandContext(now: Fixture.instant("2026-03-29T10:00:00Z"), zone: berlin)
    #expect(throws: InputProblem.skippedTime) { _ = try context.time("2:30") }
    #expect(throws: InputProblem.skippedTime) { _ = try context.time("2:30 am") }
    let glass = WaterEntry(id: .random(), intake: Fixture.intake("2026-03-28T23:15:00Z", 250))
    #expect(WaterDay.total(of: [glass], onDayOf: context.now, in: berlin) == 250)
  }
}
