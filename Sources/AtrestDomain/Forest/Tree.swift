// SPDX-License-Identifier: Apache-2.0
// Which fast has a tree, and which tree it is.

import Foundation

/// What became of a fast's tree.
public enum TreeState: Hashable, Sendable {
  /// The fast reached its target.
  case established
  /// The fast ended at 70 % of its target or later, and before it.
  case incomplete
  /// The fast goes on. From 0.05 to 1.
  case materialising(progress: Double)
}

/// The form and the colour of a tree. They follow from the fast's id alone, so the tree that comes
/// into being on the timer is the tree that stands in the forest, on every device.
public struct TreeCharacter: Hashable, Sendable {
  /// How many forms there are.
  public static let variants = 8
  /// How many colours there are.
  public static let tones = 5

  /// The form: 0 to 7.
  public let variant: Int
  /// The colour: 0 to 4.
  public let tone: Int

  /// A character by its parts; nil out of range.
  public init?(variant: Int, tone: Int) {
    guard (0..<Self.variants).contains(variant), (0..<Self.tones).contains(tone) else { return nil }
    self.variant = variant
    self.tone = tone
  }

  /// The character of a fast's tree: `abs(hash) % 8` and `abs(hash / 8) % 5`.
  public init(id: UUID) {
    let hash = Int64(bitPattern: StableHash.hash(of: id))
    // `magnitude`, because `abs` of the least Int64 traps.
    variant = Int(hash.magnitude % UInt64(Self.variants))
    tone = Int((hash / 8).magnitude % UInt64(Self.tones))
  }
}

/// A tree: a fast that is over, and what became of it.
public struct Tree: Hashable, Identifiable, Sendable {
  /// The fast.
  public let session: Session
  /// `established` or `incomplete`.
  public let state: TreeState

  /// The fast's id.
  public var id: UUID { session.id }
  /// Its form and colour.
  public var character: TreeCharacter { TreeCharacter(id: session.id) }
}

/// Maps fasts to trees.
public enum TreeMapper {
  /// The part of its target at which a fast leaves a tree, in percent.
  public static let incompletePercent = 70

  /// What became of a fast's tree: nil under 4 hours, or under 70 % of the target, or where the
  /// fast was let go or goes on. Compared in whole milliseconds: exactly 70 % is 70 %.
  public static func state(of session: Session) -> TreeState? {
    guard session.isInHistory, let duration = session.durationMilliseconds else { return nil }
    let target = session.targetMilliseconds
    if duration >= target { return .established }
    // A duration below the target is small enough to be multiplied.
    return duration * 100 >= target * incompletePercent ? .incomplete : nil
  }

  /// The trees of any fasts, oldest end first; of equal ends, the smaller id first. So every device
  /// counts them alike.
  ///
  /// - Complexity: O(n log n).
  public static func trees(for sessions: some Sequence<Session>) -> [Tree] {
    sessions.compactMap { session in
      state(of: session).map { Tree(session: session, state: $0) }
    }
    .sorted { HistoryOrder.isOlder($0.session, $1.session) }
  }
}

/// The order of fasts that are over.
enum HistoryOrder {
  /// Whether one ended before the other; ids decide between equal ends.
  static func isOlder(_ a: Session, _ b: Session) -> Bool {
    let ends = (a.span.end ?? a.span.start, b.span.end ?? b.span.start)
    return ends.0 == ends.1 ? a.id.uuidString < b.id.uuidString : ends.0 < ends.1
  }
}
