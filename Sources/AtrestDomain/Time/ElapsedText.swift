// SPDX-License-Identifier: Apache-2.0
// How the time since a fast began is written on the timer.

import Foundation

/// Writes the time since a fast began.
public enum ElapsedText {
  /// `0h 7m`, `12h 30m`, `16h 0m`: hours and minutes that have passed in full, always both, so that
  /// the numerals stay where they are. Before the start it is `0h 0m`.
  public static func text(_ seconds: TimeInterval) -> String {
    let minutes = max(0, Milliseconds.whole(seconds)) / Milliseconds.perMinute
    return "\(minutes / 60)h \(minutes % 60)m"
  }
}
