// SPDX-License-Identifier: Apache-2.0
// Computes how much of the tree is visible during a fast.

import AtrestReplication

/// The visible fraction of a tree, 0 to 1.
public enum MaterialisingProgress {
  /// The range during a fast: never invisible, at most complete.
  public static let range = 0.05...1.0

  /// Elapsed time divided by the target, clamped to `range`. A target of zero gives the lower
  /// bound.
  ///
  /// - Parameter elapsed: Time since the start; negative if another device's clock is ahead.
  public static func value(elapsedMilliseconds elapsed: Int64, targetMinutes: Int) -> Double {
    guard targetMinutes > 0 else { return range.lowerBound }
    let fraction = Double(elapsed) / 60_000 / Double(targetMinutes)
    return min(max(fraction, range.lowerBound), range.upperBound)
  }

  /// The timer's fraction: 0 while idle or after abandoning, the fast's fraction while active, and
  /// 1 after completion, so that the tree does not vanish as it arrives.
  public static func value(of status: FastingMachine.Status, at now: WallTime) -> Double {
    switch status {
    case .idle, .abandoned: 0
    case .active(let session):
      value(
        elapsedMilliseconds: session.elapsedMilliseconds(at: now),
        targetMinutes: session.targetMinutes)
    case .completed: 1
    }
  }
}
