// SPDX-License-Identifier: Apache-2.0
// The account's entitlement as the screens use it.

/// What an account may use. Derived elsewhere from verified purchases and completed fasts, with the
/// same raw values.
public enum Entitlement: String, Hashable, Sendable, CaseIterable {
  /// A purchase grants everything.
  case premium
  /// Everything, for the first ten completed fasts.
  case trial
  /// No purchase, and the trial is over.
  case free
  /// Unknown: nothing was verified, or something could not be read.
  case unknown

  /// The entitlement to act on: the current one if known, otherwise the last known one.
  ///
  /// If none was ever known it stays `unknown`, which removes nothing and sells nothing: missing
  /// information is no reason to lock a person out of their own forest.
  public func settled(lastKnown: Entitlement?) -> Entitlement {
    self == .unknown ? lastKnown ?? .unknown : self
  }

  /// The value to persist after a derivation; nil to keep the stored one. Never `unknown`, so a
  /// missing answer does not overwrite a known one.
  public var toRemember: Entitlement? {
    self == .unknown ? nil : self
  }
}
