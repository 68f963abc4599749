// SPDX-License-Identifier: Apache-2.0
// Where a person is in the app, and where each thing they do leads. Pure.

/// Where a person is: one of two places, at most one sheet over it, and small things opened on it.
///
/// There are no tabs. While a fast goes on the way elsewhere leads through a glyph that opens an
/// overlay; else icons float at the bottom.
public struct Navigation: Hashable, Sendable {
  /// What fills the screen.
  public enum Screen: Hashable, Sendable {
    /// Home.
    case timer
    /// The forest: it takes the timer's place, and gives it back.
    case forest
  }

  /// What lies over the screen, on frosted glass.
  public enum Sheet: Hashable, Sendable {
    /// The month.
    case calendar
    /// The settings.
    case settings
    /// What Atrest costs, and what it is for.
    case paywall
  }

  /// A way to somewhere else.
  public enum Icon: Hashable, Sendable, CaseIterable {
    /// To the forest.
    case forest
    /// To the calendar.
    case calendar
    /// To the settings.
    case settings
  }

  /// What a person did, or what changed under them.
  public enum Event: Hashable, Sendable {
    /// The glyph at the top left was touched.
    case glyph
    /// The screen beside an overlay was touched.
    case outside
    /// An icon was touched.
    case icon(Icon)
    /// Swiped to the right, or the forest's glyph was touched.
    case back
    /// The sheet was put away.
    case closeSheet
    /// "Go premium" in the settings.
    case goPremium
    /// The drop on the timer was touched.
    case water
    /// `TransitionMoment.isDue` became true.
    case transitionDue
    /// "Continue with Atrest".
    case transitionContinue
    /// "Maybe later".
    case transitionLater
    /// The time asked for by `Effect.handOver` is over.
    case handOverDue
    /// The fast or the entitlement changed.
    case changed
  }

  /// What the owner of this value is to do.
  public enum Effect: Hashable, Sendable {
    /// Wait so many seconds, then send `handOverDue`: two sheets at once collide.
    case handOver(afterSeconds: Double)
    /// Write `TransitionMoment.dismissedValue` to `TransitionMoment.dismissedKey`.
    case rememberTransition
  }

  /// Seconds between a sheet that goes and the one that it led to.
  public static let handOverSeconds = 0.3

  /// What fills the screen.
  public private(set) var screen = Screen.timer
  /// What lies over it.
  public private(set) var sheet: Sheet?
  /// The sheet that comes when the last one is gone.
  public private(set) var nextSheet: Sheet?
  /// Whether the glyph's overlay is open.
  public private(set) var isHatchOpen = false
  /// Whether water is unfolded.
  public private(set) var isWaterOpen = false
  /// Whether the transition moment lies over everything.
  public private(set) var isTransitionShown = false
  /// Whether it was shown since the start, and so not again.
  private var wasTransitionShown = false

  /// At home.
  public init() {}

  /// The icons of an overlay or at the bottom, for this entitlement. The forest's is absent where
  /// there is no forest.
  public static func icons(for entitlement: Entitlement) -> [Icon] {
    Icon.allCases.filter { $0 != .forest || FeatureGate.forestIcon.isOpen(for: entitlement) }
  }

  /// Whether the glyph is there: at home, while a fast goes on.
  public func hasGlyph(fastIsActive: Bool) -> Bool {
    screen == .timer && fastIsActive
  }

  /// Whether icons float at the bottom: in the forest, and at home while no fast goes on.
  public func hasFloatingIcons(fastIsActive: Bool) -> Bool {
    screen == .forest || !fastIsActive
  }

  /// Takes one step. What makes no sense where the person is changes nothing.
  ///
  /// - Parameters:
  ///   - fastIsActive: Whether a fast goes on.
  ///   - entitlement: As settled: see `Entitlement.settled(lastKnown:)`.
  public mutating func handle(
    _ event: Event, fastIsActive: Bool, entitlement: Entitlement
  ) -> [Effect] {
    leave(fastIsActive: fastIsActive, entitlement: entitlement)
    // The transition moment lies above everything: only its buttons answer.
    if isTransitionShown {
      switch event {
      case .transitionContinue:
        isTransitionShown = false
        if FeatureGate.paywall.isOpen(for: entitlement) { sheet = .paywall }
        return [.rememberTransition]
      case .transitionLater:
        isTransitionShown = false
        return [.rememberTransition]
      case .handOverDue: break
      case .glyph, .outside, .icon, .back, .closeSheet, .goPremium, .water, .transitionDue,
        .changed:
        return []
      }
    }
    switch event {
    case .glyph:
      if hasGlyph(fastIsActive: fastIsActive), sheet == nil { isHatchOpen.toggle() }
    case .outside:
      isHatchOpen = false
      isWaterOpen = false
    case .icon(let icon):
      let isReachable = isHatchOpen || hasFloatingIcons(fastIsActive: fastIsActive)
      guard sheet == nil, nextSheet == nil, isReachable,
        Self.icons(for: entitlement).contains(icon)
      else { break }
      isHatchOpen = false
      isWaterOpen = false
      switch icon {
      case .forest: screen = .forest
      case .calendar: sheet = .calendar
      case .settings: sheet = .settings
      }
    case .back:
      if sheet == nil { screen = .timer }
    case .closeSheet:
      sheet = nil
    case .goPremium:
      guard sheet == .settings, FeatureGate.goPremium.isOpen(for: entitlement) else { break }
      sheet = nil
      nextSheet = .paywall
      return [.handOver(afterSeconds: Self.handOverSeconds)]
    case .handOverDue:
      if let next = nextSheet, sheet == nil { sheet = next }
      nextSheet = nil
    case .water:
      if screen == .timer, fastIsActive, sheet == nil, !isHatchOpen { isWaterOpen.toggle() }
    case .transitionDue:
      guard !wasTransitionShown, FeatureGate.transitionMoment.isOpen(for: entitlement) else {
        break
      }
      isTransitionShown = true
      wasTransitionShown = true
      isHatchOpen = false
    case .transitionContinue, .transitionLater, .changed:
      break
    }
    return []
  }

  /// Leaves what is no longer there.
  private mutating func leave(fastIsActive: Bool, entitlement: Entitlement) {
    if !fastIsActive {
      isHatchOpen = false
      isWaterOpen = false
    }
    if screen == .forest, !FeatureGate.forest.isOpen(for: entitlement) { screen = .timer }
    if !FeatureGate.paywall.isOpen(for: entitlement) {
      // A purchase was made, here or on another device: there is nothing left to sell.
      if sheet == .paywall { sheet = nil }
      if nextSheet == .paywall { nextSheet = nil }
    }
    if isTransitionShown, !FeatureGate.transitionMoment.isOpen(for: entitlement) {
      isTransitionShown = false
    }
  }
}
