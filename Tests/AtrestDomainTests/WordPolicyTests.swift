// SPDX-License-Identifier: Apache-2.0
// The banned phrases, and that the catalogue contains none of them.

import Foundation
import Testing

@testable import AtrestDomain

@Suite("The policy of words", .timeLimit(.minutes(20)))
struct WordPolicyTests {
  @Test("finds every banned phrase, whatever its case and however it is set apart")
  func finds() {
    #expect(WordPolicy.banned.count == 26)
    for phrase in WordPolicy.banned {
      #expect(WordPolicy.findings(in: phrase) == [phrase])
      #expect(WordPolicy.findings(in: "So: \(phrase.uppercased())!") == [phrase])
      let spread = phrase.replacingOccurrences(of: " ", with: " \t\n\u{a0} ")
      #expect(WordPolicy.findings(in: "A\n\(spread)\nB") == [phrase], "\(phrase)")
    }
  }

  @Test("finds what colours, characters without a width and fine typography would hide")
  func hidden() {
    #expect(!WordPolicy.allows("a str\u{1b}[1;31meak\u{1b}[0m"))
    #expect(!WordPolicy.allows("a str\u{200b}eak"))
    #expect(!WordPolicy.allows("Don’t  stop\u{2028}now"))
    #expect(!WordPolicy.allows("the fat\u{2011}burning zone"))
    #expect(!WordPolicy.allows("Unlocked"))
  }

  @Test("finds the German phrases, too, and lets what is near be")
  func german() {
    for phrase in WordPolicy.bannedGerman {
      #expect(WordPolicy.findings(in: "So: \(phrase.capitalized).") == [phrase])
    }
    #expect(WordPolicy.allows("Heute nur Wasser. Es geht weiter, so lange du magst. A series."))
  }

  @Test("allows what is near")
  func allows() {
    #expect(WordPolicy.allows("The door is not locked. It is today only."))
    #expect(WordPolicy.allows("act, now"))
    #expect(WordPolicy.allows(""))
    #expect(WordPolicy.allows("\u{1b}["))
  }

  @Test("nothing in the catalogue is banned, praises, or shouts")
  func catalogue() {
    for (key, text) in Catalogue.entries + Catalogue.german {
      #expect(WordPolicy.findings(in: text).isEmpty, "\(key)")
      #expect(!text.contains("!"), "\(key)")
      for praise in [
        "well done", "great job", "congratulations", "proud", "amazing", "gut gemacht",
        "glückwunsch",
        "stolz", "toll",
      ] {
        #expect(!text.lowercased().contains(praise), "\(key)")
      }
    }
  }

  @Test("biology is told with may, likely or typically, and no phase is better than another")
  func biology() {
    for milestone in Milestone.allCases {
      let text = milestone.companionText.lowercased()
      #expect(["may", "likely", "typically"].contains { text.contains($0) }, "\(milestone)")
      for word in ["better", "best", "finally", "benefit", "maximum", "optimal", "!"] {
        #expect(!text.contains(word), "\(milestone)")
      }
      let german = Catalogue.text("milestone.\(milestone.rawValue).text", in: .german).lowercased()
      #expect(
        ["kann", "vielleicht", "wahrscheinlich", "meist"].contains { german.contains($0) },
        "\(milestone)")
      for word in ["besser", "besten", "endlich", "nutzen", "maximal", "optimal", "!"] {
        #expect(!german.contains(word), "\(milestone)")
      }
    }
  }
}

@Suite("The catalogue", .timeLimit(.minutes(20)))
struct CatalogueTests {
  @Test("has each key once, and no text is empty")
  func unique() {
    let keys = Catalogue.entries.map(\.key)
    #expect(Set(keys).count == keys.count)
    #expect(Catalogue.entries.allSatisfy { !$0.text.isEmpty })
  }

  @Test("has each key in German too, once, with as many values, and speaks to one person")
  func german() {
    #expect(Catalogue.german.map(\.key).sorted() == Catalogue.entries.map(\.key).sorted())
    for (key, english) in Catalogue.entries {
      let german = Catalogue.text(key, in: .german)
      #expect(!german.isEmpty, "\(key)")
      #expect(
        german.components(separatedBy: "%@").count == english.components(separatedBy: "%@").count,
        "\(key)")
      #expect(
        german.components(separatedBy: "`").count == english.components(separatedBy: "`").count,
        "\(key)")
      #expect(
        german.range(of: #"[a-zäöüß,] (Sie|Ihnen|Ihre?)\b"#, options: .regularExpression) == nil,
        "\(key)")
    }
  }

  @Test("what stands in columns is as narrow in German")
  func widths() {
    for index in 1...7 {
      #expect(ColumnWidth.of(Catalogue.text("calendar.weekday.\(index)", in: .german)) == 2)
    }
    for index in 1...12 {
      #expect(ColumnWidth.of(Catalogue.text("calendar.month.\(index)", in: .german)) <= 9)
    }
    let headings = ["month", "target", "count", "sum", "longest"].map {
      Catalogue.text("statistics.heading.\($0)", in: .german)
    }
    #expect(headings.allSatisfy { ColumnWidth.of($0) <= 8 })
    for key in ["timer.action.begin", "timer.action.end", "timer.action.abandon", "nav.settings"] {
      #expect(ColumnWidth.of(Catalogue.text(key, in: .german)) <= 16, "\(key)")
    }
  }

  @Test(
    "the language is that of the locale's name, and English where that is none of ours",
    arguments: [
      ("de_DE.UTF-8", Language.german), ("de", .german), ("DE_at", .german), ("de-CH", .german),
      ("de@euro", .german), ("en_US.UTF-8", .english), ("C", .english), ("", .english),
      ("den_XX", .english), ("fr_FR", .english),
    ])
  func locales(name: String, language: Language) {
    #expect(Language(locale: name) == language)
  }

  @Test("everything that asks it for words gets some, and nothing lies in it unused")
  func complete() {
    var used = Set(Word.allCases.map(\.rawValue))
    for word in Word.allCases { #expect(!word.text.isEmpty) }
    for milestone in Milestone.allCases {
      used.insert("milestone.\(milestone.rawValue).name")
      used.insert("milestone.\(milestone.rawValue).text")
      for part in ["companion", "scripture", "citation"] {
        used.insert("vigil.milestone.\(milestone).\(part)")
      }
      #expect(!milestone.name.isEmpty && !milestone.companionText.isEmpty)
    }
    for (name, count) in [("idle", Vigil.idleCount), ("arrival", Vigil.arrivalCount)] {
      for index in 0..<count {
        used.formUnion(["vigil.\(name).\(index)", "vigil.\(name).\(index).citation"])
      }
    }
    used.formUnion((1...12).map { "calendar.month.\($0)" })
    for weekday in Weekday.allCases {
      #expect(weekday.shortName.count == 3)
      used.insert("calendar.weekday.\(weekday.rawValue)")
    }
    for tone in 0..<TreeCharacter.tones {
      #expect(!Palette.name(ofTone: tone).isEmpty)
      used.insert("palette.tone.\(tone)")
    }
    used.formUnion(["vigil.fastStart", "vigil.forest.inscription"])
    used.insert("vigil.forest.inscription.citation")
    for problem in InputProblem.allCases {
      #expect(problem.userMessage.hasSuffix("."))
      used.insert("problem.\(problem)")
    }
    for refusal in FastingRefusal.allCases {
      #expect(refusal.userMessage.hasSuffix("."))
      used.insert("refusal.\(refusal)")
    }
    for problem in ChoiceProblem.allCases {
      #expect(problem.userMessage.hasSuffix("."))
      used.insert("problem.\(problem)")
    }
    #expect(used == Set(Catalogue.entries.map(\.key)))
  }

  @Test("has no key of the screens that are gone")
  func oldKeys() {
    for key in Catalogue.entries.map(\.key) {
      #expect(!key.hasPrefix("tab.") && key != "timer.title" && key != "paywall.trial.notice")
      #expect(!key.contains("locked") && !key.contains("silhouette"))
    }
  }

  @Test("has the words that were given, as they were given")
  func given() {
    let expected: [(Word, String)] = [
      (.timerIdlePrompt, "When you're ready"), (.forestEmpty, "Your forest grows here."),
      (.forestBack, "Return to timer"), (.waterInlineHeader, "Today"),
      (.calendarTitle, "Calendar"), (.calendarCompleted, "Completed"),
      (.calendarEndedEarly, "Ended early"), (.settingsPremiumGo, "Go premium"),
      (.settingsFastingNote, "This is a reference, not a goal."),
      (.settingsDataNote, "Your data is stored only on this device."),
    ]
    for (word, text) in expected { #expect(word.text == text) }
  }

  @Test("values take their places, and a percent sign in one stays itself")
  func values() {
    #expect(Word.waterQuickAdd.text("250 ml") == "Add 250 ml")
    #expect(Word.waterQuickAdd.text("%@") == "Add %@")
    #expect(Word.forestTreeEstablishedA11y.text("amber") == "A tree in amber, for the fast of ")
  }
}
