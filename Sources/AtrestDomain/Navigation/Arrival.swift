// SPDX-License-Identifier: Apache-2.0
// The animation on the timer after a fast is completed.

/// The arrival: the tree becomes whole, its star appears, and with Vigil a line of Scripture. It
/// plays once, on the device that completed the fast, and navigates nowhere.
public struct Arrival: Hashable, Sendable {
  /// The tree's fraction at completion.
  public let from: Double
  /// Whether the fast reached its target. Otherwise there is no star and no Scripture.
  public let isEstablished: Bool
  /// Whether Vigil is on.
  public let vigil: Bool
  /// Whether the person enabled Reduce Motion.
  public let reduceMotion: Bool

  /// The length in seconds without Vigil. With Vigil it stays until the person acts.
  public static let length = 3.0
  /// The delay of the Scripture in seconds after the completion, at which the star starts to
  /// appear.
  public static let scriptureDelay = 0.8

  /// Creates an arrival; `from` is clamped to 0...1.
  public init(from: Double, isEstablished: Bool, vigil: Bool, reduceMotion: Bool = false) {
    self.from = min(max(from, 0), 1)
    self.isEstablished = isEstablished
    self.vigil = vigil
    self.reduceMotion = reduceMotion
  }

  /// The state to draw.
  public struct Frame: Hashable, Sendable {
    /// The tree's fraction, 0 to 1.
    public let progress: Double
    /// The star's opacity, 0 to 1.
    public let star: Double
    /// The Scripture's opacity, 0 to 1.
    public let scripture: Double
    /// Whether the arrival is over.
    public let isOver: Bool
  }

  /// The frame after a number of seconds. The tree of a fast that ended early does not change.
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
