// SPDX-License-Identifier: Apache-2.0
// The fasts of another app's file: what was taken, what was not and why, what shares time. Pure.

import AtrestDomain
import AtrestReplication
import AtrestTransfer

/// The fasts of another app's file.
public struct FastHistory: Hashable, Sendable {
  /// A fast, and where it is in the file.
  public struct Fast: Hashable, Sendable {
    /// The number of its line or entry, from 1.
    public let number: Int
    /// The fast.
    public let session: Session
    /// Whether the file says its target.
    public let hasOwnTarget: Bool
  }

  /// A row that was left out.
  public struct Skipped: Hashable, Sendable {
    /// The number of its line or entry, from 1.
    public let number: Int
    /// Why.
    public let reason: SkipReason
  }

  /// `.csv`, whose rows begin on lines; or `.otherJSON`, which has entries.
  public let format: ImportFile.Format
  /// The rows below the header, or the entries.
  public let rowCount: Int
  /// The target of rows without one, in minutes.
  public let targetMinutes: Int
  /// What is taken, in file order.
  public private(set) var fasts: [Fast] = []
  /// What is not, in file order.
  public private(set) var skipped: [Skipped] = []
  private var numbers: [RecordUUID: Int] = [:]

  init(format: ImportFile.Format, rowCount: Int, targetMinutes: Int) {
    self.format = format
    self.rowCount = rowCount
    self.targetMinutes = targetMinutes
  }

  mutating func add(_ fast: Fast) {
    guard numbers.updateValue(fast.number, forKey: fast.session.id) == nil else {
      return skip(fast.number, .repeated)
    }
    fasts.append(fast)
  }

  mutating func skip(_ number: Int, _ reason: SkipReason) {
    skipped.append(Skipped(number: number, reason: reason))
  }

  /// Where a row or an entry is.
  public func place(_ number: Int) -> ImportPlace {
    format == .csv ? .line(number) : .entry(number)
  }

  /// Whether a fast has the target that the file does not say.
  public var lacksTargets: Bool { fasts.contains { !$0.hasOwnTarget } }

  /// The numbers of fasts that share time, in pairs, earliest first: each with the one before it
  /// that ends last. Like `Overlap`, only fasts of the history count.
  ///
  /// - Complexity: O(n log n): a file whose fasts all share time is as quick as any.
  public var overlaps: [(Int, Int)] {
    var found: [(Int, Int)] = []
    var last: (end: WallTime, number: Int)?
    for fast in Self.spans(fasts.map(\.session)) {
      let number = numbers[fast.id] ?? 0
      if let last, fast.start < last.end { found.append((last.number, number)) }
      if last.map({ $0.end < fast.end }) ?? true { last = (fast.end, number) }
    }
    return found
  }

  /// The numbers of fasts that share time with one of others, which are not the same fasts.
  ///
  /// - Complexity: O((n + m) log m).
  public func numbers(overlapping others: [Session]) -> [Int] {
    let own = Set(fasts.map(\.session.id))
    let others = Self.spans(others.filter { !own.contains($0.id) })
    // Of those that begin before a time, the latest end.
    var latest: [WallTime] = []
    for other in others { latest.append(max(other.end, latest.last ?? other.end)) }
    return Self.spans(fasts.map(\.session)).filter { fast in
      var (low, high) = (0, others.count)
      while low < high {
        let middle = (low + high) / 2
        if others[middle].start < fast.end { low = middle + 1 } else { high = middle }
      }
      return low > 0 && latest[low - 1] > fast.start
    }.compactMap { numbers[$0.id] }.sorted()
  }

  /// The times of fasts of the history, earliest start first.
  private static func spans(
    _ sessions: [Session]
  ) -> [(start: WallTime, end: WallTime, id: RecordUUID)] {
    sessions.compactMap { session in
      guard session.isInHistory, let end = session.span.end else { return nil }
      return (session.span.start, end, session.id)
    }.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
  }

  /// A copy without the fasts of some numbers.
  public func without(_ unwanted: [Int]) -> FastHistory {
    let unwanted = Set(unwanted)
    var copy = self
    copy.fasts.removeAll { unwanted.contains($0.number) }
    copy.skipped = (skipped + unwanted.map { Skipped(number: $0, reason: .overlaps) })
      .sorted { $0.number < $1.number }
    return copy
  }

  /// The fasts as a file to import.
  ///
  /// - Throws: `PortabilityError` of a fast that cannot be, which no row that was read is.
  public func importFile() throws(PortabilityError) -> ImportFile {
    var file = ImportFile(format: format, version: 1, madeAt: nil)
    for fast in fasts {
      guard let end = fast.session.span.end else { continue }
      try file.add(
        .session(
          id: fast.session.id, start: fast.session.span.start, end: end,
          targetHours: Double(fast.session.targetMinutes) / 60, place: place(fast.number)))
    }
    return file
  }
}
