// SPDX-License-Identifier: Apache-2.0
// The gate map: everything that depends on what an account may use, in one table.

/// Something that is there for some and not for others. Nothing else depends on the entitlement:
/// the timer, the milestones, water, Vigil, settings, export and import are everybody's.
///
/// What is not there is absent. It is never shown greyed, crossed out, or with words about it.
public enum FeatureGate: Hashable, Sendable, CaseIterable {
  /// The way to the forest, among the icons.
  case forestIcon
  /// The forest itself.
  case forest
  /// The tree that comes into being on the timer while a fast goes on.
  case timerTree
  /// Calendar and history beyond the ten most recent entries.
  case wholeHistory
  /// The words that lead from the settings to the paywall, in a section of their own.
  case goPremium
  /// The paywall, reached from the settings or from the transition moment.
  case paywall
  /// The one-time words after the tenth fast.
  case transitionMoment
  /// Managing a subscription and restoring purchases, in a section of the settings.
  case account

  /// A line of the table.
  public struct Row: Hashable, Sendable {
    /// What it is about.
    public let gate: FeatureGate
    /// For whom it is there.
    public let open: Set<Entitlement>
  }

  /// The gate map. `unknown` has what nobody is sold: everything a person has made, and no shop.
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

  /// Whether it is there for this entitlement.
  public func isOpen(for entitlement: Entitlement) -> Bool {
    Self.map.contains { $0.gate == self && $0.open.contains(entitlement) }
  }
}
