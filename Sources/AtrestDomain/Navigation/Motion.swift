// SPDX-License-Identifier: Apache-2.0
// How long things take, and how they begin and end.

/// An animation as a value: what to draw at a time is a pure function of it.
public struct Motion: Hashable, Sendable {
  /// How a movement begins and ends.
  public enum Curve: Hashable, Sendable {
    /// Begins slowly.
    case easeIn
    /// Ends slowly.
    case easeOut
    /// Begins and ends slowly.
    case easeInOut

    /// The part of the movement that is done after a part of its time, both from 0 to 1.
    ///
    /// Source: cubic timing functions as in CSS Easing Functions Level 1, section 2.2.
    public func value(at part: Double) -> Double {
      // Exactly nothing, and exactly everything, at the ends.
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
      // Time never runs backwards on these curves, so halving finds it.
      var (low, high) = (0.0, 1.0)
      for _ in 0..<40 {
        let middle = (low + high) / 2
        if bezier(x1, x2, middle) < part { low = middle } else { high = middle }
      }
      return bezier(0, 1, (low + high) / 2)
    }
  }

  /// Its beginning and end.
  public let curve: Curve
  /// Seconds before it begins.
  public let delay: Double
  /// Seconds that it takes.
  public let duration: Double

  private init(_ curve: Curve, _ duration: Double, delay: Double = 0) {
    self.curve = curve
    self.duration = duration
    self.delay = delay
  }

  /// The part that is done after so many seconds, 0 to 1. For people who asked for less motion
  /// everything is there at once.
  public func value(after seconds: Double, reduceMotion: Bool = false) -> Double {
    if reduceMotion { return seconds < 0 ? 0 : 1 }
    return curve.value(at: (seconds - delay) / duration)
  }

  /// Small changes.
  public static let ease = Motion(.easeInOut, 0.4)
  /// From one place to another.
  public static let slow = Motion(.easeInOut, 0.6)
  /// A tree that becomes whole.
  public static let arrival = Motion(.easeOut, 1.2)
  /// Its star.
  public static let starAppear = Motion(.easeIn, 1.2, delay: 0.4)
  /// Scripture that comes.
  public static let scriptureFadeIn = Motion(.easeOut, 0.6)
  /// Scripture that goes.
  public static let scriptureFadeOut = Motion(.easeIn, 0.8)
  /// Scripture under a milestone, which comes after it.
  public static let scriptureDelayed = Motion(.easeOut, 0.4, delay: 0.4)
  /// A citation that was asked for.
  public static let citationReveal = Motion(.easeOut, 0.3)
  /// A citation that goes again.
  public static let citationDismiss = Motion(.easeIn, 0.5)
}
