// SPDX-License-Identifier: Apache-2.0
// Which fasts the calendar, the history and the forest show, and to whom.

import Foundation

/// A fast as the calendar and the history show it.
public struct CalendarEntry: Hashable, Identifiable, Sendable {
  /// The fast.
  public let session: Session

  /// A fast that the history shows; nil for any other.
  public init?(_ session: Session) {
    guard session.isInHistory else { return nil }
    self.session = session
  }

  /// The fast's id.
  public var id: UUID { session.id }
  /// When it ended: the date it stands under.
  public var date: Date { session.span.end ?? session.span.start }
  /// How long it lasted, in milliseconds.
  public var durationMilliseconds: Int { session.durationMilliseconds ?? 0 }
  /// Whether it ended at 70 % of its target or later, and before it.
  public var isIncomplete: Bool { TreeMapper.state(of: session) == .incomplete }
  /// Whether it ended before its target, however long before.
  public var endedEarly: Bool { durationMilliseconds < session.targetMilliseconds }
  /// Its dot: the colour of its tree, or grey where it ended before its target.
  public var dot: CalendarDot {
    endedEarly ? .grey : .tone(TreeCharacter(id: session.id).tone)
  }
}

/// The mark of a fast on a day of the calendar.
public enum CalendarDot: Hashable, Sendable {
  /// A fast that reached its target, in the colour of its tree: 0 to 4.
  case tone(Int)
  /// A fast that ended before it.
  case grey
}

/// What the calendar and the history show.
public enum CalendarPolicy {
  /// How many entries there are without premium or trial. The rest is simply absent.
  public static let freeEntries = 10

  /// The entries, newest first; of equal ends the greater id first.
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

/// What the forest shows.
public enum ForestPolicy {
  /// The trees, oldest first; none where there is no forest.
  public static func trees(
    of sessions: some Sequence<Session>, for entitlement: Entitlement
  ) -> [Tree] {
    FeatureGate.forest.isOpen(for: entitlement) ? TreeMapper.trees(for: sessions) : []
  }
}
