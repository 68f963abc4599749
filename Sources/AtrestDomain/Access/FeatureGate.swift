// SPDX-License-Identifier: Apache-2.0
// The gate map: everything that depends on the entitlement, in one table.

/// A feature whose availability depends on the entitlement. Nothing else does: the timer,
/// milestones, water, Vigil, settings, export and import are available to everybody.
///
/// An unavailable feature is absent. It is never greyed out, crossed out or mentioned.
public enum FeatureGate: Hashable, Sendable, CaseIterable {
  /// The icon that opens the forest.
  case forestIcon
  /// The forest itself.
  case forest
  /// The tree that materialises on the timer during a fast.
  case timerTree
  /// Calendar and history beyond the ten most recent entries.
  case wholeHistory
  /// The link from the settings to the paywall, in its own section.
  case goPremium
  /// The paywall, reached from the settings or from the transition moment.
  case paywall
  /// The one-time message after the tenth fast.
  case transitionMoment
  /// Managing a subscription and restoring purchases, in a section of the settings.
  case account

  /// One row of the gate map.
  public struct Row: Hashable, Sendable {
    /// The feature.
    public let gate: FeatureGate
    /// The entitlements for which it is available.
    public let open: Set<Entitlement>
  }

  /// The gate map. With `unknown` everything that the person made is available, and no shop.
  public static let map: [Row] = [
    Row(gate: .forestIcon, open: [.premium, .trial, .unknown]),
    Row(gate: .forest, open: [.premium, .trial, .unknown]),
    Row(gate: .timerTree, open: [.premium, .trial, .unknown]),
    Row(gate: .wholeHistory, open: [.premium, .trial, .unknown]),
    Row(gate: .goPremium, open: [.free]),
    Row(gate: .paywall, open: [.free, .trial]),
    Row(gate: .transitionMoment, open: [.free, .trial]),
    Row(gate: .account, open: [.premium]),
  ]

  /// Whether the feature is available for an entitlement.
  public func isOpen(for entitlement: Entitlement) -> Bool {
    Self.map.contains { $0.gate == self && $0.open.contains(entitlement) }
  }
}
