// SPDX-License-Identifier: Apache-2.0
// The program in German: what it says every day, and that what it shows can be typed.

import Foundation
import Testing

@testable import atrest

@Suite("The program in German", .timeLimit(.minutes(20)))
struct GermanTests {
  private let atrest: Binary

  init() throws {
    atrest = try Binary()
  }

  /// The answer in German, without a word that only English has.
  @discardableResult
  private func german(
    _ arguments: String..., on device: Binary? = nil, code: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let answer = try (device ?? atrest).start(arguments, ["LC_ALL": "de_DE.UTF-8"]).wait()
    #expect(answer.code == code, sourceLocation: sourceLocation)
    let text = answer.out + answer.err
    // Commands are the same in every language.
    let words = text.replacing(/`[^`]*`/, with: "").lowercased()
      .split { !$0.isLetter }.map(String.init)
    let english: Set = [
      "the", "is", "are", "of", "to", "and", "it", "its", "that", "fast", "fasts", "here",
      "your", "you", "today", "yesterday", "since", "until", "with", "ended", "started", "nothing",
      "noted", "on", "off", "more", "wait", "waits", "device", "devices", "account", "joined",
      "access", "server's", "records", "let", "made",
    ]
    let found = english.intersection(words)
    #expect(found.isEmpty, "\(found.sorted()): \(text)", sourceLocation: sourceLocation)
    return text
  }

  @Test("a day: begin, drink, look, take back, end")
  func day() throws {
    #expect(try german().hasPrefix("Willkommen."))
    #expect(try german("status").hasPrefix("Noch steht hier nichts."))
    let begun = try german("fast", "start", "--at", "vor 10 Stunden", "--target", "12 Stunden")
    #expect(begun.hasPrefix("Du fastest seit ") && begun.contains("mit einem Ziel von 12h."))
    try german("fast", "start", code: 65)
    #expect(try german("status").contains("bisher 10h, Ziel 12h; Stoffwechsel im Übergang"))
    #expect(try german("now").contains("Wasser heute: 0 ml"))
    #expect(try german("water", "add", "0,5l").hasPrefix("Notiert: 500 ml, heute "))
    try german("water", "list")
    #expect(try german("undo").hasPrefix("Zurückgenommen: 500 ml, heute "))
    #expect(
      try german("water") == "Noch ist nichts notiert. `atrest water add` notiert ein Glas.\n")
    #expect(try german("fast", "complete") == "Früher beendet nach 10h.\n")
    #expect(try german("undo").hasPrefix("Zurückgenommen: Das Fasten geht weiter, seit "))
    #expect(try german("fast", "abandon").hasPrefix("Losgelassen nach 10h."))
    try german("fast", "complete", code: 65)
  }

  @Test("lists, pages and choices")
  func lists() throws {
    try german("fast", "start", "--at", "vor 2 Tagen")
    #expect(try german("fast", "complete", "--at", "vor 30h").contains("abgeschlossen"))
    #expect(try german("sessions").hasPrefix("ID        BEGINN"))
    #expect(try german("history").hasPrefix("ENDE"))
    #expect(try german("statistics").contains("\nMONAT"))
    #expect(try german("calendar", "letzten").contains("Mo    Di    Mi"))
    #expect(try german("settings").contains("vigil      aus"))
    #expect(try german("settings", "set", "vigil", "an") == "Vigil ist an.\n")
    #expect(try german("vigil", "off") == "Vigil ist aus.\n")
    try german("vigil")
    #expect(
      try german("settings", "set", "vigil", "vielleicht", code: 64).contains("weder an noch"))
  }

  @Test("a decimal comma is shown, and what is shown can be typed")
  func amounts() throws {
    try german("settings", "set", "unit", "oz")
    let noted = try german("water", "add", "8,5 fl oz")
    #expect(noted.hasPrefix("Notiert: 8,5 fl oz, heute "))
    #expect(try german("water", "add", "1.000", code: 64).contains("als tausend"))
    let rows = try #require(try atrest("water", "list", "--json").json() as? [[String: Any]])
    #expect(rows.count == 1 && rows.first?["millilitres"] as? Int == 251)
  }

  @Test("another app's rows, and the journal")
  func rows() throws {
    let file = atrest.home.appendingPathComponent("verlauf.csv")
    let text =
      "Beginn;Ende\n01.05.2026 20:00;02.05.2026 12:00\n03.05.2026 20:00;\n"
      + "02.05.2026 10:00;02.05.2026 20:00\n"
    try text.write(to: file, atomically: true, encoding: .utf8)
    let look = try german("import", file.path, "--yes")
    #expect(look.hasPrefix("Der Verlauf einer anderen App.\nGelesen: Beginn aus „Beginn“"))
    #expect(look.contains("  Zeile 3: das Ende ist nicht zu lesen\n"))
    #expect(look.hasSuffix("Hereingeholt: 2 hinzugefügt.\n"))
    #expect(try german("import", file.path).contains("2 Fasten: 2 schon hier.\n"))
    #expect(try german("conflicts").hasPrefix("Nichts liegt beiseite."))
    #expect(try german("sessions").contains(" überschneiden sich.\n"))
    try "Wann,Ende\n1,2\n".write(to: file, atomically: true, encoding: .utf8)
    try german("import", file.path, code: 65)
  }

  @Test("a question is answered in German")
  func question() throws {
    let file = atrest.home.appendingPathComponent("verlauf.csv")
    try "Beginn;Ende\n01.05.2026 20:00;02.05.2026 12:00\n"
      .write(to: file, atomically: true, encoding: .utf8)
    let dialogue = try Dialogue(
      atrest.program, ["import", file.path], home: atrest.home,
      ["NO_COLOR": "1", "LC_ALL": "de_DE.UTF-8"])
    try dialogue.read(until: "Hereinholen? [j/N] ")
    try dialogue.type("ja")
    #expect(try dialogue.end() == 0)
    #expect(dialogue.shown.contains("Hereingeholt: 1 hinzugefügt."))
  }

  @Test("devices, pairing and the account")
  func household() throws {
    let household = try Household()
    let joined = try german("pair", try household.link(isFirst: true), "--name", "telefon")
    #expect(joined.hasPrefix("Dieses Gerät ist jetzt „telefon“ des Kontos „kim“."))
    let link = try atrest("invite", "--yes").out.trimmingCharacters(in: .newlines)
    let tablet = try Binary()
    try german("pair", link, "--name", "telefon", on: tablet)
    try german("pair", link, on: tablet, code: 65)
    try german("pair", "http://example", on: tablet, code: 64)
    #expect(try german("invite").contains("Gib ihn auf dem anderen Gerät "))
    let devices = try german("devices")
    #expect(devices.hasPrefix("ID        NAME"))
    #expect(devices.contains("eingelassen von „telefon“") && devices.contains("dieses Gerät"))
    #expect(try german("devices", "waiting") == "Niemand wartet darauf, dazuzukommen.\n")
    #expect(try german("account").hasPrefix("Das Konto „kim“, angelegt "))
    let log = try german("account", "log")
    #expect(log.contains("kam dazu, mit einem Link von „telefon“ (dieses Gerät)"))
    let file = atrest.home.appendingPathComponent("alles.json").path
    #expect(try german("account", "export", file).hasPrefix("Alles steht in "))
    #expect(try german("doctor").contains("Alles ist in Ordnung"))
    try german("sync")
    try german("devices", "revoke", "keine", code: 64)
    let rows = try #require(try atrest("devices", "--json").json() as? [[String: Any]])
    let other = try #require(rows.last?["id"] as? String)
    #expect(try german("devices", "revoke", other).contains(" kann nicht mehr abgleichen."))
    try german("sync", on: tablet, code: 77)
    #expect(
      try german("account", "delete", "--yes", "--name", "kai", code: 65).hasPrefix("So heißt"))
    #expect(
      try german("account", "delete", "--yes", "--name", "kim").contains("ist von seinem Server"))
    try german("sync", code: 65)
    #expect(try german("unpair", on: tablet).contains(" hat das Konto „kim“ verlassen."))
  }

  @Test("the timer")
  func timer() throws {
    try german("fast", "start", "--at", "vor 1h")
    let dialogue = try Dialogue(
      atrest.program, ["timer"], home: atrest.home, ["NO_COLOR": "1", "LC_ALL": "de_DE.UTF-8"])
    try dialogue.read(until: "q verlassen")
    #expect(dialogue.shown.contains("e beenden   l loslassen   w Wasser"))
    try dialogue.type("q")
    #expect(try dialogue.end() == 0)
  }

  @Test("messages alone can have another language than clocks and numbers")
  func messages() throws {
    let environment = ["LANG": "de_DE.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"]
    let answer = try atrest.start(["water"], environment).wait()
    #expect(answer.out.hasPrefix("Nothing noted yet."))
  }
}
