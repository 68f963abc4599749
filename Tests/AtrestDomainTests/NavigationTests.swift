// SPDX-License-Identifier: Apache-2.0
// The target of each touch, and what stays closed.

import AtrestDomain
import AtrestTestSupport
import Testing

@Suite("Navigation", .timeLimit(.minutes(20)))
struct NavigationTests {
  /// Takes steps one after another with the same fast and entitlement.
  private func walk(
    _ events: [Navigation.Event], active: Bool = false, as entitlement: Entitlement = .trial
  ) -> (Navigation, [Navigation.Effect]) {
    var navigation = Navigation()
    let effects = events.flatMap {
      navigation.handle($0, fastIsActive: active, entitlement: entitlement)
    }
    return (navigation, effects)
  }

  @Test("begins at home, and there are two places and three sheets, no tabs")
  func start() {
    let navigation = Navigation()
    #expect(navigation.screen == .timer && navigation.sheet == nil && !navigation.isHatchOpen)
  }

  @Test("the forest's icon is absent without a forest")
  func icons() {
    #expect(Navigation.icons(for: .free) == [.calendar, .settings])
    for entitlement in [Entitlement.premium, .trial, .unknown] {
      #expect(Navigation.icons(for: entitlement) == [.forest, .calendar, .settings])
    }
  }

  @Test("while a fast goes on a glyph stands for the icons; else they float, also in the forest")
  func glyphOrIcons() {
    let home = Navigation()
    #expect(home.hasGlyph(fastIsActive: true) && !home.hasFloatingIcons(fastIsActive: true))
    #expect(!home.hasGlyph(fastIsActive: false) && home.hasFloatingIcons(fastIsActive: false))
    let (there, _) = walk([.icon(.forest)])
    #expect(!there.hasGlyph(fastIsActive: true) && there.hasFloatingIcons(fastIsActive: true))
  }

  @Test("the glyph opens an overlay and closes it; touching beside it closes it; an icon leads on")
  func hatch() {
    #expect(walk([.glyph], active: true).0.isHatchOpen)
    #expect(!walk([.glyph, .glyph], active: true).0.isHatchOpen)
    #expect(!walk([.glyph, .outside], active: true).0.isHatchOpen)
    #expect(!walk([.glyph], active: false).0.isHatchOpen)
    let (forest, _) = walk([.glyph, .icon(.forest)], active: true)
    #expect(forest.screen == .forest && !forest.isHatchOpen)
    // The glyph itself leads nowhere, and without the overlay there are no icons.
    #expect(walk([.icon(.calendar)], active: true).0.sheet == nil)
  }

  @Test("the forest takes the timer's place and gives it back; calendar and settings are sheets")
  func places() {
    #expect(walk([.icon(.forest)]).0.screen == .forest)
    #expect(walk([.icon(.forest), .back]).0.screen == .timer)
    // A swipe on a sheet belongs to the sheet.
    #expect(walk([.icon(.forest), .icon(.calendar), .back]).0.screen == .forest)
    let (calendar, _) = walk([.icon(.calendar)])
    #expect(calendar.sheet == .calendar && calendar.screen == .timer)
    #expect(walk([.icon(.calendar), .closeSheet]).0.sheet == nil)
    #expect(walk([.icon(.settings), .icon(.calendar)]).0.sheet == .settings)
  }

  @Test("without a forest nothing leads there, and it closes when it is no longer there")
  func noForest() {
    #expect(walk([.icon(.forest)], as: .free).0.screen == .timer)
    #expect(walk([.glyph, .icon(.forest)], active: true, as: .free).0.screen == .timer)
    var navigation = walk([.icon(.forest)], as: .trial).0
    _ = navigation.handle(.changed, fastIsActive: false, entitlement: .free)
    #expect(navigation.screen == .timer)
    navigation = walk([.icon(.forest)], as: .trial).0
    _ = navigation.handle(.changed, fastIsActive: false, entitlement: .unknown)
    #expect(navigation.screen == .forest)
  }

  @Test("the settings go before the paywall comes, 0.3 s later")
  func handOver() {
    var (navigation, effects) = walk([.icon(.settings), .goPremium], as: .free)
    #expect(effects == [.handOver(afterSeconds: 0.3)])
    #expect(navigation.sheet == nil && navigation.nextSheet == .paywall)
    // In between nothing else opens.
    _ = navigation.handle(.icon(.calendar), fastIsActive: false, entitlement: .free)
    #expect(navigation.sheet == nil)
    _ = navigation.handle(.handOverDue, fastIsActive: false, entitlement: .free)
    #expect(navigation.sheet == .paywall && navigation.nextSheet == nil)
    #expect(walk([.handOverDue], as: .free).0.sheet == nil)
  }

  @Test("the paywall is reached from the settings without premium, and from nowhere else")
  func paywall() {
    for entitlement in [Entitlement.premium, .trial, .unknown] {
      let (navigation, effects) = walk([.icon(.settings), .goPremium], as: entitlement)
      #expect(navigation.sheet == .settings && effects.isEmpty)
    }
    #expect(walk([.goPremium], as: .free).0.nextSheet == nil)
    var navigation = walk([.icon(.settings), .goPremium, .handOverDue], as: .free).0
    _ = navigation.handle(.changed, fastIsActive: false, entitlement: .premium)
    #expect(navigation.sheet == nil)
  }

  @Test("the transition moment lies above everything, and only its two buttons answer")
  func transition() {
    let (shown, effects) = walk([.transitionDue, .icon(.forest), .outside, .back, .closeSheet])
    #expect(shown.isTransitionShown && shown.screen == .timer && effects.isEmpty)
  }

  @Test("maybe later: it goes at once, is remembered, and nothing follows")
  func later() {
    let (navigation, effects) = walk([.transitionDue, .transitionLater])
    #expect(!navigation.isTransitionShown && navigation.sheet == nil)
    #expect(effects == [.rememberTransition])
  }

  @Test("continue: it is remembered too, and the paywall comes at once")
  func continues() {
    let (navigation, effects) = walk([.transitionDue, .transitionContinue])
    #expect(!navigation.isTransitionShown && navigation.sheet == .paywall)
    #expect(effects == [.rememberTransition])
  }

  @Test("it comes once, and not for somebody who has premium, or may have it")
  func once() {
    #expect(!walk([.transitionDue, .transitionLater, .transitionDue]).0.isTransitionShown)
    for entitlement in [Entitlement.premium, .unknown] {
      #expect(!walk([.transitionDue], as: entitlement).0.isTransitionShown)
    }
    #expect(walk([.transitionLater, .transitionContinue]).1.isEmpty)
  }

  @Test("water unfolds on the timer while a fast goes on, and folds beside it and with its end")
  func water() {
    #expect(walk([.water], active: true).0.isWaterOpen)
    #expect(!walk([.water, .outside], active: true).0.isWaterOpen)
    #expect(!walk([.water], active: false).0.isWaterOpen)
    var navigation = walk([.water], active: true).0
    _ = navigation.handle(.changed, fastIsActive: false, entitlement: .trial)
    #expect(!navigation.isWaterOpen)
  }

  @Test("whatever a person touches, nothing is open that should not be")
  func anything() {
    let events: [Navigation.Event] = [
      .glyph, .outside, .icon(.forest), .icon(.calendar), .icon(.settings), .back, .closeSheet,
      .goPremium, .water, .transitionDue, .transitionContinue, .transitionLater, .handOverDue,
      .changed,
    ]
    checkLaw(cases: 2000) { random in
      var navigation = Navigation()
      var remembered = 0
      for _ in 0..<40 {
        let active = random.oneIn(2)
        let entitlement = Entitlement.allCases.randomElement(using: &random) ?? .free
        let event = events.randomElement(using: &random) ?? .back
        let effects = navigation.handle(event, fastIsActive: active, entitlement: entitlement)
        remembered += effects.filter { $0 == .rememberTransition }.count
        let isSound =
          (navigation.screen == .timer || FeatureGate.forest.isOpen(for: entitlement))
          && (navigation.sheet != .paywall || FeatureGate.paywall.isOpen(for: entitlement))
          && (!navigation.isHatchOpen || active) && (!navigation.isWaterOpen || active)
          && (navigation.nextSheet == nil || navigation.sheet == nil) && remembered <= 1
        guard isSound else { return false }
      }
      return true
    }
  }
}
