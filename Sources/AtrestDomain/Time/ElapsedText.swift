// SPDX-License-Identifier: Apache-2.0
// Formats the elapsed time on the timer.

/// Formats the time since a fast's start.
public enum ElapsedText {
  /// Whole hours and minutes, such as `0h 7m` or `16h 0m`. Always both, so that the numerals do not
  /// move. `0h 0m` before the start.
  public static func text(milliseconds: Int64) -> String {
    let minutes = max(0, milliseconds) / Milliseconds.perMinute
    return "\(minutes / 60)h \(minutes % 60)m"
  }
}
