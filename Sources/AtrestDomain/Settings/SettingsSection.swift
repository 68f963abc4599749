// SPDX-License-Identifier: Apache-2.0
// The sections of the settings screen and their availability.

/// A section of the settings screen, in order.
public enum SettingsSection: Hashable, Sendable, CaseIterable {
  /// The usual target.
  case fasting
  /// The unit and the quick addition.
  case hydration
  /// Vigil. Available to everybody, regardless of purchases.
  case vigil
  /// The link to the paywall.
  case premium
  /// Export and import.
  case data
  /// Managing a subscription and restoring purchases.
  case account
  /// Terms and privacy.
  case legal

  /// The sections for an entitlement, in order.
  public static func sections(for entitlement: Entitlement) -> [SettingsSection] {
    allCases.filter { section in
      switch section {
      case .premium: FeatureGate.goPremium.isOpen(for: entitlement)
      case .account: FeatureGate.account.isOpen(for: entitlement)
      case .fasting, .hydration, .vigil, .data, .legal: true
      }
    }
  }

  /// The heading above the section.
  public var title: Word {
    switch self {
    case .fasting: .settingsFastingTitle
    case .hydration: .settingsHydrationTitle
    case .vigil: .vigilSectionTitle
    case .premium: .settingsPremiumTitle
    case .data: .settingsDataTitle
    case .account: .settingsAccountTitle
    case .legal: .settingsLegalTitle
    }
  }

  /// The lines, top to bottom.
  ///
  /// - Parameter isPaired: Whether the data is also on a server.
  public func lines(isPaired: Bool) -> [Word] {
    switch self {
    case .fasting: [.settingsFastingTarget, .settingsFastingNote]
    case .hydration: [.settingsHydrationUnit, .settingsHydrationQuickAdd]
    case .vigil: [.vigilSectionExplanation]
    case .premium: [.settingsPremiumGo]
    case .data:
      [
        .settingsDataExport, .settingsDataImport,
        isPaired ? .settingsDataNoteSynced : .settingsDataNote,
      ]
    case .account: [.settingsAccountManage, .settingsAccountRestore]
    case .legal: [.settingsLegalTerms, .settingsLegalPrivacy]
    }
  }
}
