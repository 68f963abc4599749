// SPDX-License-Identifier: Apache-2.0
// What the paywall says, in its order, and what can be bought.

/// Something that can be bought.
public enum Product: String, Hashable, Sendable, CaseIterable {
  /// A year at a time.
  case annual = "com.atrest.annual"
  /// Once.
  case lifetime = "com.atrest.lifetime"

  /// The price, in US dollars.
  public var dollars: Int {
    switch self {
    case .annual: 29
    case .lifetime: 79
    }
  }

  /// Its line on the paywall.
  public var word: Word {
    switch self {
    case .annual: .paywallAnnual
    case .lifetime: .paywallLifetime
    }
  }
}

/// The paywall: what Atrest is for, two prices of equal weight, and what has to be said. It
/// compares nothing, recommends neither, and mentions no time.
public enum Paywall {
  /// A part of it.
  public enum Element: Hashable, Sendable {
    /// The tree that stands for Atrest, small, in the middle.
    case glyph
    /// A line to read.
    case words(Word)
    /// A price. Touching it buys; there is no other button.
    case price(Product)
    /// A line to touch.
    case link(Word)
  }

  /// Whether something leads to it: the settings, or the transition moment.
  ///
  /// - Parameter hadTransition: Whether the transition moment is due, or was seen on any device.
  public static func isReachable(for entitlement: Entitlement, hadTransition: Bool) -> Bool {
    FeatureGate.paywall.isOpen(for: entitlement)
      && (FeatureGate.goPremium.isOpen(for: entitlement) || hadTransition)
  }

  /// Its parts, from the top.
  public static let elements: [Element] = [
    .glyph,
    .words(.paywallValues),
    .words(.paywallDescription),
    .price(.annual),
    .price(.lifetime),
    .link(.paywallRestore),
    .words(.paywallAppleNote),
    .words(.paywallRenewalNote),
    .link(.settingsLegalTerms),
    .link(.settingsLegalPrivacy),
  ]
}
