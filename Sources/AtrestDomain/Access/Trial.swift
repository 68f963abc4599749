// SPDX-License-Identifier: Apache-2.0
// The trial of ten fasts and the transition moment after it.

/// The trial: all features for the first ten completed fasts.
public enum TrialPolicy {
  /// The number of completed fasts in the trial.
  public static let fasts = 10

  /// `trial` up to ten completed fasts, nil after that: then purchases decide.
  public static func entitlement(forCompleted count: Int) -> Entitlement? {
    count <= fasts ? .trial : nil
  }

  /// The entitlement of an account whose purchases and fasts are known.
  public static func entitlement(isPurchased: Bool, completed count: Int) -> Entitlement {
    isPurchased ? .premium : entitlement(forCompleted: count) ?? .free
  }
}

/// The one-time message after the tenth completed fast.
///
/// Its dismissal is a synced setting, so it shows once across all devices. Both of its buttons
/// dismiss it. The setting is only ever written as `true`, so no merge brings the message back.
public enum TransitionMoment {
  /// The setting that records the dismissal. The iOS app uses the same one.
  public static let dismissedKey = "atrest.transition.dismissed"
  /// The setting's value after the dismissal.
  public static let dismissedValue = "true"

  /// Whether to show it: at exactly ten completed fasts, unless it was dismissed, and never to an
  /// account that has or may have premium.
  ///
  /// - Parameter dismissed: The stored setting; nil if absent.
  public static func isDue(
    completed count: Int, dismissed: String?, entitlement: Entitlement
  ) -> Bool {
    count == TrialPolicy.fasts && !SwitchSetting.isOn(dismissed)
      && FeatureGate.transitionMoment.isOpen(for: entitlement)
  }
}
