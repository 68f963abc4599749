// SPDX-License-Identifier: Apache-2.0
// What an account may use, as the screens know it.

/// What an account may use. Derived elsewhere, from verified purchases and completed fasts; the raw
/// values are those of the module that derives it.
public enum Entitlement: String, Hashable, Sendable, CaseIterable {
  /// A purchase grants everything.
  case premium
  /// Everything, for the first ten completed fasts.
  case trial
  /// No purchase, and the trial is over.
  case free
  /// Not known: nothing was verified, or something could not be read.
  case unknown

  /// What to act on: what is known now, or else what was known last.
  ///
  /// Where nothing was ever known it stays `unknown`, which takes nothing away and sells nothing:
  /// not to know is no reason to shut a person out of their own forest.
  public func settled(lastKnown: Entitlement?) -> Entitlement {
    self == .unknown ? lastKnown ?? .unknown : self
  }

  /// What to write down after looking: never `unknown`, and never `free` for want of an answer.
  /// nil: leave what is written.
  public var toRemember: Entitlement? {
    self == .unknown ? nil : self
  }
}
