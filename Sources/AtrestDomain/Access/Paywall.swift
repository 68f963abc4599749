// SPDX-License-Identifier: Apache-2.0
// The content of the paywall, in order, and the products.

/// A product that can be bought.
public enum Product: String, Hashable, Sendable, CaseIterable {
  /// A yearly subscription.
  case annual = "com.atrest.annual"
  /// A one-time purchase.
  case lifetime = "com.atrest.lifetime"

  /// The price, in US dollars.
  public var dollars: Int {
    switch self {
    case .annual: 29
    case .lifetime: 79
    }
  }

  /// Its text on the paywall.
  public var word: Word {
    switch self {
    case .annual: .paywallAnnual
    case .lifetime: .paywallLifetime
    }
  }
}

/// The paywall: a description, two prices of equal weight, and the legal notes. It compares
/// nothing, recommends neither product and mentions no time.
public enum Paywall {
  /// An element of the paywall.
  public enum Element: Hashable, Sendable {
    /// The small tree that stands for Atrest.
    case glyph
    /// A line of text.
    case words(Word)
    /// A price. Tapping it buys; there is no other button.
    case price(Product)
    /// A tappable line of text.
    case link(Word)
  }

  /// Whether the paywall can be reached, from the settings or the transition moment.
  ///
  /// - Parameter hadTransition: Whether the transition moment is due, or was seen on any device.
  public static func isReachable(for entitlement: Entitlement, hadTransition: Bool) -> Bool {
    FeatureGate.paywall.isOpen(for: entitlement)
      && (FeatureGate.goPremium.isOpen(for: entitlement) || hadTransition)
  }

  /// The elements, top to bottom.
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
