// SPDX-License-Identifier: Apache-2.0
// Selects the fasts that calendar, history and forest show.

import AtrestReplication

/// A fast as the calendar and the history show it.
public struct CalendarEntry: Hashable, Identifiable, Sendable {
  /// The fast.
  public let session: Session

  /// Creates an entry; nil if the history does not show the fast.
  public init?(_ session: Session) {
    guard session.isInHistory else { return nil }
    self.session = session
  }

  /// The fast's id.
  public var id: RecordUUID { session.id }
  /// The date of the entry: the fast's end.
  public var date: WallTime { session.span.end ?? session.span.start }
  /// How long it lasted, in milliseconds.
  public var durationMilliseconds: Int64 { session.durationMilliseconds ?? 0 }
  /// Whether it ended before its target but at 70 % of it or later.
  public var isIncomplete: Bool { TreeMapper.state(of: session) == .incomplete }
  /// Whether it ended before its target.
  public var endedEarly: Bool { durationMilliseconds < session.targetMilliseconds }
  /// Its dot: its tree's colour, or grey if it ended before its target.
  public var dot: CalendarDot {
    endedEarly ? .grey : .tone(TreeCharacter(id: session.id).tone)
  }
}

/// The mark of a fast on a day of the calendar.
public enum CalendarDot: Hashable, Sendable {
  /// A fast that reached its target, in its tree's colour, 0 to 4.
  case tone(Int)
  /// A fast that ended before its target.
  case grey
}

/// Selects the entries of calendar and history.
public enum CalendarPolicy {
  /// The number of entries without premium or trial. Older ones are absent.
  public static let freeEntries = 10

  /// The entries, newest first; for equal ends, the greater id first.
  ///
  /// - Complexity: O(n log n).
  public static func entries(
    of sessions: some Sequence<Session>, for entitlement: Entitlement
  ) -> [CalendarEntry] {
    let all = sessions.compactMap(CalendarEntry.init)
      .sorted { HistoryOrder.isOlder($1.session, $0.session) }
    return FeatureGate.wholeHistory.isOpen(for: entitlement) ? all : Array(all.prefix(freeEntries))
  }
}

/// Selects the trees of the forest.
public enum ForestPolicy {
  /// The trees, oldest first; empty if the entitlement has no forest.
  public static func trees(
    of sessions: some Sequence<Session>, for entitlement: Entitlement
  ) -> [Tree] {
    FeatureGate.forest.isOpen(for: entitlement) ? TreeMapper.trees(for: sessions) : []
  }
}
