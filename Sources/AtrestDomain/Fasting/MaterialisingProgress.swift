// SPDX-License-Identifier: Apache-2.0
// How much of a fast's tree can be seen while the fast goes on.

import Foundation

/// How far a tree has come into being, from 0 to 1.
public enum MaterialisingProgress {
  /// What can be seen from the first moment on, and all there is to see.
  public static let range = 0.05...1.0

  /// Elapsed time over target, clamped to `range`. A target of nothing gives the least there is to
  /// see, never a division by zero.
  ///
  /// - Parameter elapsed: Seconds since the start; negative while another device's clock is ahead.
  public static func value(elapsed: TimeInterval, targetMinutes: Int) -> Double {
    guard targetMinutes > 0 else { return range.lowerBound }
    let fraction = Double(Milliseconds.whole(elapsed)) / 60_000 / Double(targetMinutes)
    return min(max(fraction, range.lowerBound), range.upperBound)
  }

  /// What the timer shows: nothing while idle or after a fast was let go, the fast's part while it
  /// goes on, and 1 once it is completed, so that the tree does not vanish as it arrives.
  public static func value(of status: FastingMachine.Status, at now: Date) -> Double {
    switch status {
    case .idle, .abandoned: 0
    case .active(let session):
      value(elapsed: session.elapsed(at: now), targetMinutes: session.targetMinutes)
    case .completed: 1
    }
  }
}
