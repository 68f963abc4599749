// SPDX-License-Identifier: Apache-2.0
// The app's navigation state and transitions. Pure.

/// The navigation state: one of two places, at most one sheet over it, and small overlays.
///
/// There are no tabs. During a fast, a glyph opens an overlay with the icons; otherwise icons float
/// at the bottom.
public struct Navigation: Hashable, Sendable {
  /// What fills the screen.
  public enum Screen: Hashable, Sendable {
    /// Home.
    case timer
    /// The forest, which replaces the timer.
    case forest
  }

  /// A sheet over the place.
  public enum Sheet: Hashable, Sendable {
    /// The month.
    case calendar
    /// The settings screen.
    case settings
    /// The paywall, reached from the settings or the transition moment.
    case paywall
  }

  /// A navigation icon.
  public enum Icon: Hashable, Sendable, CaseIterable {
    /// Opens the forest.
    case forest
    /// Opens the calendar.
    case calendar
    /// Opens the settings.
    case settings
  }

  /// A user event or a change of state.
  public enum Event: Hashable, Sendable {
    /// The glyph at the top left was tapped.
    case glyph
    /// The area outside an overlay was tapped.
    case outside
    /// An icon was tapped.
    case icon(Icon)
    /// A swipe to the right, or a tap on the forest's glyph.
    case back
    /// The sheet was dismissed.
    case closeSheet
    /// "Go premium" in the settings was tapped.
    case goPremium
    /// The drop on the timer was tapped.
    case water
    /// `TransitionMoment.isDue` became true.
    case transitionDue
    /// "Continue with Atrest" was tapped.
    case transitionContinue
    /// "Maybe later" was tapped.
    case transitionLater
    /// The delay of `Effect.handOver` has passed.
    case handOverDue
    /// The active fast or the entitlement changed.
    case changed
  }

  /// An action for the owner of this value.
  public enum Effect: Hashable, Sendable {
    /// Wait, then send `handOverDue`: two sheets at once collide.
    case handOver(afterSeconds: Double)
    /// Write `TransitionMoment.dismissedValue` to `TransitionMoment.dismissedKey`.
    case rememberTransition
  }

  /// Seconds between dismissing a sheet and presenting the next.
  public static let handOverSeconds = 0.3

  /// What fills the screen.
  public private(set) var screen = Screen.timer
  /// What lies over it.
  public private(set) var sheet: Sheet?
  /// The sheet to present once the last one is gone.
  public private(set) var nextSheet: Sheet?
  /// Whether the glyph's overlay is open.
  public private(set) var isHatchOpen = false
  /// Whether the water panel is open.
  public private(set) var isWaterOpen = false
  /// Whether the transition moment is shown.
  public private(set) var isTransitionShown = false
  /// Whether it was shown since launch; it is not shown again.
  private var wasTransitionShown = false

  /// Starts on the timer with nothing open.
  public init() {}

  /// The icons for an entitlement. The forest's is absent without a forest.
  public static func icons(for entitlement: Entitlement) -> [Icon] {
    Icon.allCases.filter { $0 != .forest || FeatureGate.forestIcon.isOpen(for: entitlement) }
  }

  /// Whether the glyph is shown: on the timer during a fast.
  public func hasGlyph(fastIsActive: Bool) -> Bool {
    screen == .timer && fastIsActive
  }

  /// Whether icons float at the bottom: in the forest, and on the timer between fasts.
  public func hasFloatingIcons(fastIsActive: Bool) -> Bool {
    screen == .forest || !fastIsActive
  }

  /// Handles one event. An event that does not apply changes nothing.
  ///
  /// - Parameters:
  ///   - fastIsActive: Whether a fast is active.
  ///   - entitlement: As settled: see `Entitlement.settled(lastKnown:)`.
  /// - Returns: The actions that the owner must carry out.
  public mutating func handle(
    _ event: Event, fastIsActive: Bool, entitlement: Entitlement
  ) -> [Effect] {
    leave(fastIsActive: fastIsActive, entitlement: entitlement)
    // The transition moment is modal: only its buttons work.
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

  /// Closes what is no longer available.
  private mutating func leave(fastIsActive: Bool, entitlement: Entitlement) {
    if !fastIsActive {
      isHatchOpen = false
      isWaterOpen = false
    }
    if screen == .forest, !FeatureGate.forest.isOpen(for: entitlement) { screen = .timer }
    if !FeatureGate.paywall.isOpen(for: entitlement) {
      // A purchase was made here or on another device, so there is nothing left to sell.
      if sheet == .paywall { sheet = nil }
      if nextSheet == .paywall { nextSheet = nil }
    }
    if isTransitionShown, !FeatureGate.transitionMoment.isOpen(for: entitlement) {
      isTransitionShown = false
    }
  }
}
