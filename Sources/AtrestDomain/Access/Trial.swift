// SPDX-License-Identifier: Apache-2.0
// The first ten fasts, and the one moment after the tenth.

/// The trial: the whole of Atrest for the first ten completed fasts.
public enum TrialPolicy {
  /// How many completed fasts belong to it.
  public static let fasts = 10

  /// `trial` for up to ten completed fasts, nil after: then it is a purchase that decides.
  public static func entitlement(forCompleted count: Int) -> Entitlement? {
    count <= fasts ? .trial : nil
  }

  /// What somebody may use of whom everything is known.
  public static func entitlement(isPurchased: Bool, completed count: Int) -> Entitlement {
    isPurchased ? .premium : entitlement(forCompleted: count) ?? .free
  }
}

/// The one-time words after the tenth completed fast.
///
/// Its dismissal is a setting and settings are synced, so it shows once across all devices. Both of
/// its buttons dismiss it. Nothing ever writes anything but `true`, so no merge brings it back.
public enum TransitionMoment {
  /// The setting that remembers it. The iOS app uses the same one.
  public static let dismissedKey = "atrest.transition.dismissed"
  /// What the setting holds once it has been seen.
  public static let dismissedValue = "true"

  /// Whether to show it: at exactly ten completed fasts, unless it was dismissed, and never to
  /// somebody who has premium, or may have it.
  ///
  /// - Parameter dismissed: The setting as it is stored; nil where it is absent.
  public static func isDue(
    completed count: Int, dismissed: String?, entitlement: Entitlement
  ) -> Bool {
    count == TrialPolicy.fasts && !SwitchSetting.isOn(dismissed)
      && FeatureGate.transitionMoment.isOpen(for: entitlement)
  }
}
