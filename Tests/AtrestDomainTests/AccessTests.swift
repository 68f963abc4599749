// SPDX-License-Identifier: Apache-2.0
// Access to features: the gate map, the trial, the one-time texts, history, settings and paywall.

import AtrestDomain
import Foundation
import Testing

@Suite("The gate map", .timeLimit(.minutes(20)))
struct GateTests {
  @Test("says for whom each thing is there")
  func table() {
    let all: Set<Entitlement> = [.premium, .trial, .unknown]
    let expected: [FeatureGate: Set<Entitlement>] = [
      .forestIcon: all, .forest: all, .timerTree: all, .wholeHistory: all,
      .goPremium: [.free], .paywall: [.free, .trial], .transitionMoment: [.free, .trial],
      .account: [.premium],
    ]
    #expect(FeatureGate.map.count == FeatureGate.allCases.count)
    for gate in FeatureGate.allCases {
      for entitlement in Entitlement.allCases {
        #expect(
          gate.isOpen(for: entitlement) == expected[gate]?.contains(entitlement),
          "\(gate) \(entitlement)")
      }
    }
  }

  @Test("the forest is there in the trial and with premium, and not without")
  func forestIsGated() {
    #expect(FeatureGate.forest.isOpen(for: .trial) && FeatureGate.forest.isOpen(for: .premium))
    #expect(!FeatureGate.forest.isOpen(for: .free))
    let sessions = (1...3).map { ended($0, hours: 16, ago: Double($0)) }
    #expect(ForestPolicy.trees(of: sessions, for: .free).isEmpty)
    #expect(ForestPolicy.trees(of: sessions, for: .trial).count == 3)
  }

  @Test("not to know takes nothing away, sells nothing, and is never written as free")
  func unknown() {
    #expect(Entitlement.unknown.settled(lastKnown: .premium) == .premium)
    #expect(Entitlement.unknown.settled(lastKnown: .free) == .free)
    #expect(Entitlement.unknown.settled(lastKnown: nil) == .unknown)
    #expect(Entitlement.free.settled(lastKnown: .premium) == .free)
    #expect(Entitlement.unknown.toRemember == nil)
    for known in [Entitlement.premium, .trial, .free] { #expect(known.toRemember == known) }
    for gate in [FeatureGate.goPremium, .paywall, .transitionMoment] {
      #expect(!gate.isOpen(for: .unknown))
    }
  }
}

@Suite("The trial", .timeLimit(.minutes(20)))
struct TrialTests {
  @Test("is the first ten completed fasts", arguments: [0, 1, 9, 10])
  func within(count: Int) {
    #expect(TrialPolicy.entitlement(forCompleted: count) == .trial)
    #expect(TrialPolicy.entitlement(isPurchased: false, completed: count) == .trial)
  }

  @Test("is over with the eleventh; then a purchase decides", arguments: [11, 12, 500])
  func over(count: Int) {
    #expect(TrialPolicy.entitlement(forCompleted: count) == nil)
    #expect(TrialPolicy.entitlement(isPurchased: false, completed: count) == .free)
    #expect(TrialPolicy.entitlement(isPurchased: true, completed: count) == .premium)
  }

  @Test("the transition moment is due at exactly ten fasts")
  func transitionCount() {
    for count in 0...30 {
      let isDue = TransitionMoment.isDue(completed: count, dismissed: nil, entitlement: .trial)
      #expect(isDue == (count == 10), "\(count)")
    }
  }

  @Test("it shows once: dismissed on one device, it is dismissed on all")
  func transitionOnce() {
    func isDue(_ dismissed: String?) -> Bool {
      TransitionMoment.isDue(completed: 10, dismissed: dismissed, entitlement: .trial)
    }
    #expect(isDue(nil) && isDue("false") && isDue(""))
    #expect(!isDue(TransitionMoment.dismissedValue))
    #expect(!isDue("1") && !isDue("YES"))  // As the iOS app may have stored it.
    #expect(TransitionMoment.dismissedKey == Setting.transitionDismissed.rawValue)
    #expect(TransitionMoment.dismissedKey == "atrest.transition.dismissed")
  }

  @Test("it never shows to somebody who has premium, or may have it")
  func transitionNever() {
    for entitlement in [Entitlement.premium, .unknown] {
      #expect(!TransitionMoment.isDue(completed: 10, dismissed: nil, entitlement: entitlement))
    }
  }
}

@Suite("History and calendar by entitlement", .timeLimit(.minutes(20)))
struct HistoryPolicyTests {
  private let many = (0..<25).map { ended($0, hours: 16, ago: Double($0) * 24) }

  @Test("without premium there are the ten most recent entries, and no word about the rest")
  func free() {
    let entries = CalendarPolicy.entries(of: many.shuffled(), for: .free)
    #expect(entries.map(\.id) == (0..<10).map(numbered))
    for entitlement in [Entitlement.premium, .trial, .unknown] {
      #expect(CalendarPolicy.entries(of: many, for: entitlement).map(\.id) == many.map(\.id))
    }
    for word in Word.allCases {
      for hint in ["locked", "upgrade", "silhouette", "inspectable"] {
        #expect(!word.text.lowercased().contains(hint), "\(word)")
      }
    }
  }

  @Test("ten entries of one day are ten entries")
  func entriesNotDays() {
    let day = (0..<12).map { ended($0, hours: 5, targetHours: 5, ago: Double($0) / 10) }
    #expect(CalendarPolicy.entries(of: day, for: .free).count == 10)
  }

  @Test("shows fasts of four hours and more, with how they ended")
  func entries() throws {
    #expect(CalendarEntry(ended(1, hours: 3.99)) == nil)
    #expect(CalendarEntry(ended(1, hours: 20, outcome: .abandoned)) == nil)
    let whole = try #require(CalendarEntry(ended(1, hours: 16)))
    #expect(!whole.isIncomplete && !whole.endedEarly)
    #expect(whole.dot == .tone(TreeCharacter(id: numbered(1)).tone))
    #expect(whole.date == whole.session.span.end && whole.durationMilliseconds == 57_600_000)
    let grey = try #require(CalendarEntry(ended(1, hours: 12)))
    #expect(grey.isIncomplete && grey.endedEarly && grey.dot == .grey)
    let short = try #require(CalendarEntry(ended(1, hours: 5)))
    #expect(!short.isIncomplete && short.endedEarly && short.dot == .grey)
    #expect(Palette.dot(.grey) == Palette.treeGrey)
    #expect(Palette.dot(.tone(1)) == Palette.earthTones[1].light)
  }
}

@Suite("Sections of the settings, and the paywall", .timeLimit(.minutes(20)))
struct SectionTests {
  @Test(
    "six sections in their order, Vigil's after water; premium's and account's where they apply")
  func sections() {
    #expect(
      SettingsSection.allCases == [
        .fasting, .hydration, .vigil, .premium, .data, .account, .legal,
      ])
    #expect(
      SettingsSection.sections(for: .free) == [
        .fasting, .hydration, .vigil, .premium, .data, .legal,
      ])
    #expect(
      SettingsSection.sections(for: .premium) == [
        .fasting, .hydration, .vigil, .data, .account, .legal,
      ])
    for entitlement in [Entitlement.trial, .unknown] {
      #expect(
        SettingsSection.sections(for: entitlement) == [.fasting, .hydration, .vigil, .data, .legal])
    }
  }

  @Test("the settings say what they are about, and where the data is")
  func lines() {
    #expect(
      SettingsSection.allCases.map(\.title.text) == [
        "Fasting", "Hydration", "Vigil", "Premium", "Your data", "Account", "Legal",
      ])
    #expect(Word.settingsFastingNote.text == "This is a reference, not a goal.")
    #expect(SettingsSection.premium.lines(isPaired: false).map(\.text) == ["Go premium"])
    #expect(
      SettingsSection.data.lines(isPaired: false).last?.text
        == "Your data is stored only on this device.")
    #expect(SettingsSection.data.lines(isPaired: true).last == .settingsDataNoteSynced)
    #expect(
      SettingsSection.account.lines(isPaired: true).map(\.text) == [
        "Manage subscription", "Restore purchases",
      ])
    #expect(
      SettingsSection.legal.lines(isPaired: true).map(\.text) == [
        "Terms of Service", "Privacy Policy",
      ])
  }

  @Test("the paywall says what Atrest is for, then two prices, and compares nothing")
  func paywall() {
    #expect(
      Paywall.elements == [
        .glyph, .words(.paywallValues), .words(.paywallDescription), .price(.annual),
        .price(.lifetime), .link(.paywallRestore), .words(.paywallAppleNote),
        .words(.paywallRenewalNote), .link(.settingsLegalTerms), .link(.settingsLegalPrivacy),
      ])
    #expect(
      Product.allCases.map(\.rawValue) == ["com.atrest.annual", "com.atrest.lifetime"])
    #expect(Product.allCases.map(\.dollars) == [29, 79])
    #expect(Product.allCases.map(\.word.text) == ["$29 a year", "$79 once"])
    for word in Word.allCases where word.rawValue.hasPrefix("paywall.") {
      for hint in ["popular", "save", "%", "only ", "recommended", "free trial"] {
        #expect(!word.text.lowercased().contains(hint), "\(word)")
      }
    }
  }

  @Test("two ways lead to the paywall: the settings, and the transition moment once it has come")
  func reachable() {
    for hadTransition in [false, true] {
      func isReachable(_ entitlement: Entitlement) -> Bool {
        Paywall.isReachable(for: entitlement, hadTransition: hadTransition)
      }
      #expect(isReachable(.free) && isReachable(.trial) == hadTransition)
      #expect(!isReachable(.premium) && !isReachable(.unknown))
    }
  }

  @Test("the transition moment has two plain ways on")
  func transition() {
    #expect(Word.transitionContinue.text == "Continue with Atrest")
    #expect(Word.transitionLater.text == "Maybe later")
  }
}
