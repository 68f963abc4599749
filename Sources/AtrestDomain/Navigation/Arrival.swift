// SPDX-License-Identifier: Apache-2.0
// What happens on the timer in the seconds after a fast is completed.

/// The arrival: the tree becomes whole, its star comes, and with Vigil a line of Scripture. It
/// plays once, where the fast was completed, and leads nowhere: the person goes on when they like.
public struct Arrival: Hashable, Sendable {
  /// How much of the tree there was.
  public let from: Double
  /// Whether the fast reached its target. One that did not has no star and no Scripture.
  public let isEstablished: Bool
  /// Whether Vigil is on.
  public let vigil: Bool
  /// Whether the person asked for less motion.
  public let reduceMotion: Bool

  /// Seconds after which it is over without Vigil. With Vigil it stays until the person acts.
  public static let length = 3.0
  /// Seconds from the completion, when the star begins to appear, to the Scripture.
  public static let scriptureDelay = 0.8

  /// An arrival.
  public init(from: Double, isEstablished: Bool, vigil: Bool, reduceMotion: Bool = false) {
    self.from = min(max(from, 0), 1)
    self.isEstablished = isEstablished
    self.vigil = vigil
    self.reduceMotion = reduceMotion
  }

  /// What to draw.
  public struct Frame: Hashable, Sendable {
    /// How much of the tree there is.
    public let progress: Double
    /// How much of the star.
    public let star: Double
    /// How much of the Scripture.
    public let scripture: Double
    /// Whether it is over.
    public let isOver: Bool
  }

  /// What to draw after so many seconds. A tree of a fast that ended early stays as it is.
  public func frame(after seconds: Double) -> Frame {
    guard isEstablished else {
      return Frame(progress: from, star: 0, scripture: 0, isOver: seconds >= Self.length)
    }
    let grown = Motion.arrival.value(after: seconds, reduceMotion: reduceMotion)
    let scripture =
      vigil
      ? Motion.scriptureFadeIn.value(
        after: seconds - Self.scriptureDelay, reduceMotion: reduceMotion) : 0
    return Frame(
      progress: from + (1 - from) * grown,
      star: Motion.starAppear.value(after: seconds, reduceMotion: reduceMotion),
      scripture: scripture, isOver: !vigil && seconds >= Self.length)
  }
}
