// SPDX-License-Identifier: Apache-2.0
// Finds fasts that claim the same time: one night noted on two devices, or a typed time.

import AtrestReplication

/// Two fasts of the history that share some time. Both count, and each has a tree, until a person
/// says which is right: nobody else can know.
public struct Overlap: Hashable, Sendable {
  /// The one that began first; of two that began together, the one with the lesser id.
  public let earlier: Session
  public let later: Session

  /// The most overlaps that are looked for. Whoever has more of them has imported a file that
  /// claims each night many times, and the number of pairs would grow with its square.
  public static let limit = 10_000

  /// All overlaps, the latest first; if there are more than a limit, the earliest of them. Fasts
  /// that only touch do not overlap.
  ///
  /// - Complexity: Sorts the fasts once, and visits each pair that overlaps, up to the limit.
  public static func all(in sessions: [Session], limit: Int = limit) -> [Overlap] {
    let spans = sessions.compactMap(Span.init).sorted {
      ($0.start, $0.session.id) < ($1.start, $1.session.id)
    }
    var open: [Span] = []
    var found: [Overlap] = []
    for span in spans where found.count < limit {
      open.removeAll { $0.end <= span.start }
      found += open.map { Overlap(earlier: $0.session, later: span.session) }
      open.append(span)
    }
    return found.prefix(limit).reversed()
  }

  /// The fasts that share time with one, latest first.
  ///
  /// - Complexity: Linear in the number of fasts.
  public static func with(_ session: Session, in sessions: [Session]) -> [Session] {
    guard let span = Span(session) else { return [] }
    return sessions.filter { other in
      guard other.id != session.id, let other = Span(other) else { return false }
      return other.start < span.end && span.start < other.end
    }.sorted { $0.span.start > $1.span.start }
  }

  /// A fast without the time that it shares with another one: it ends when that one began, or
  /// begins when that one ended.
  ///
  /// - Returns: Nil if they share none, if nothing would be left, or if it lies around the other
  ///   one: it would have to become two.
  public static func shortened(_ session: Session, beside other: Session) -> Session? {
    guard let span = Span(session), let other = Span(other) else { return nil }
    let (isEarlier, isLater) = (span.start < other.start, span.end > other.end)
    guard span.start < other.end, other.start < span.end, isEarlier != isLater,
      let rest = Session.Span(
        start: isLater ? other.end : span.start, end: isEarlier ? other.start : span.end,
        outcome: session.span.outcome)
    else { return nil }
    return Session(id: session.id, span: rest, targetMinutes: session.targetMinutes)
  }

  /// A fast of the history with its two times.
  private struct Span {
    let start, end: WallTime
    let session: Session

    init?(_ session: Session) {
      guard session.isInHistory, let end = session.span.end else { return nil }
      (start, self.end, self.session) = (session.span.start, end, session)
    }
  }
}
