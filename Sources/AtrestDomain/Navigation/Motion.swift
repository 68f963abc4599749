// SPDX-License-Identifier: Apache-2.0
// Durations and easing of animations.

/// An animation as a value: what to draw is a pure function of time.
public struct Motion: Hashable, Sendable {
  /// An easing curve.
  public enum Curve: Hashable, Sendable {
    /// Slow start.
    case easeIn
    /// Slow end.
    case easeOut
    /// Slow start and end.
    case easeInOut

    /// The completed fraction of the movement at a fraction of its time, both 0 to 1.
    ///
    /// Source: cubic timing functions as in CSS Easing Functions Level 1, section 2.2.
    public func value(at part: Double) -> Double {
      // Exactly 0 and 1 at the ends.
      guard part > 0 else { return 0 }
      guard part < 1 else { return 1 }
      let (x1, x2): (Double, Double) =
        switch self {
        case .easeIn: (0.42, 1)
        case .easeOut: (0, 0.58)
        case .easeInOut: (0.42, 0.58)
        }
      func bezier(_ a: Double, _ b: Double, _ s: Double) -> Double {
        let r = 1 - s
        return 3 * r * r * s * a + 3 * r * s * s * b + s * s * s
      }
      // Time is monotonic on these curves, so bisection finds the parameter.
      var (low, high) = (0.0, 1.0)
      for _ in 0..<40 {
        let middle = (low + high) / 2
        if bezier(x1, x2, middle) < part { low = middle } else { high = middle }
      }
      return bezier(0, 1, (low + high) / 2)
    }
  }

  /// The easing.
  public let curve: Curve
  /// The delay in seconds.
  public let delay: Double
  /// The duration in seconds, without the delay.
  public let duration: Double

  private init(_ curve: Curve, _ duration: Double, delay: Double = 0) {
    self.curve = curve
    self.duration = duration
    self.delay = delay
  }

  /// The completed fraction after a number of seconds, 0 to 1. With Reduce Motion it is complete at
  /// once.
  public func value(after seconds: Double, reduceMotion: Bool = false) -> Double {
    if reduceMotion { return seconds < 0 ? 0 : 1 }
    return curve.value(at: (seconds - delay) / duration)
  }

  /// Small changes.
  public static let ease = Motion(.easeInOut, 0.4)
  /// Transitions between places.
  public static let slow = Motion(.easeInOut, 0.6)
  /// A tree becoming whole.
  public static let arrival = Motion(.easeOut, 1.2)
  /// The arrival's star.
  public static let starAppear = Motion(.easeIn, 1.2, delay: 0.4)
  /// Scripture fading in.
  public static let scriptureFadeIn = Motion(.easeOut, 0.6)
  /// Scripture fading out.
  public static let scriptureFadeOut = Motion(.easeIn, 0.8)
  /// Scripture below a milestone, after it.
  public static let scriptureDelayed = Motion(.easeOut, 0.4, delay: 0.4)
  /// A requested citation fading in.
  public static let citationReveal = Motion(.easeOut, 0.3)
  /// A citation fading out.
  public static let citationDismiss = Motion(.easeIn, 0.5)
}
