// SPDX-License-Identifier: Apache-2.0
// Decides which fasts have trees, and which tree each has.

import AtrestReplication

/// The state of a fast's tree.
public enum TreeState: Hashable, Sendable {
  /// The fast reached its target.
  case established
  /// The fast ended before its target but at 70 % of it or later.
  case incomplete
  /// The fast is active; progress is 0.05 to 1.
  case materialising(progress: Double)
}

/// The form and colour of a tree. Derived from the fast's id alone, so the tree on the timer is the
/// one in the forest, on every device.
public struct TreeCharacter: Hashable, Sendable {
  /// The number of forms.
  public static let variants = 8
  /// The number of colours.
  public static let tones = 5

  /// The form, 0 to 7.
  public let variant: Int
  /// The colour, 0 to 4.
  public let tone: Int

  /// Creates a character from its parts; nil if one is out of range.
  public init?(variant: Int, tone: Int) {
    guard (0..<Self.variants).contains(variant), (0..<Self.tones).contains(tone) else { return nil }
    self.variant = variant
    self.tone = tone
  }

  /// The character of a fast's tree: `abs(hash) % 8` and `abs(hash / 8) % 5`.
  public init(id: RecordUUID) {
    let hash = Int64(bitPattern: StableHash.hash(of: id))
    // `magnitude`, because `abs` of `Int64.min` traps.
    variant = Int(hash.magnitude % UInt64(Self.variants))
    tone = Int((hash / 8).magnitude % UInt64(Self.tones))
  }
}

/// A tree of an ended fast.
public struct Tree: Hashable, Identifiable, Sendable {
  /// The fast.
  public let session: Session
  /// `established` or `incomplete`.
  public let state: TreeState

  /// The fast's id.
  public var id: RecordUUID { session.id }
  /// The form and colour.
  public var character: TreeCharacter { TreeCharacter(id: session.id) }
}

/// Maps fasts to trees.
public enum TreeMapper {
  /// The least percentage of its target at which a fast has a tree.
  public static let incompletePercent = 70

  /// The state of a fast's tree; nil under 4 hours, under 70 % of the target, or unless completed.
  /// Compares whole milliseconds: exactly 70 % counts.
  public static func state(of session: Session) -> TreeState? {
    guard session.isInHistory, let duration = session.durationMilliseconds else { return nil }
    let target = session.targetMilliseconds
    if duration >= target { return .established }
    // A duration below the target is too small to overflow.
    return duration * 100 >= target * Int64(incompletePercent) ? .incomplete : nil
  }

  /// The trees of some fasts, oldest end first; for equal ends, the smaller id first. So every
  /// device numbers them alike.
  ///
  /// - Complexity: O(n log n).
  public static func trees(for sessions: some Sequence<Session>) -> [Tree] {
    sessions.compactMap { session in
      state(of: session).map { Tree(session: session, state: $0) }
    }
    .sorted { HistoryOrder.isOlder($0.session, $1.session) }
  }
}

/// The order of ended fasts.
enum HistoryOrder {
  /// Whether one fast ended before the other; ids break ties.
  static func isOlder(_ a: Session, _ b: Session) -> Bool {
    let ends = (a.span.end ?? a.span.start, b.span.end ?? b.span.start)
    return ends.0 == ends.1 ? a.id < b.id : ends.0 < ends.1
  }
}
