// SPDX-License-Identifier: Apache-2.0
// Plans an import before anything is written. Pure.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// The effect of an import, entry by entry.
public struct ImportPlan: Sendable {
  /// The fate of one entry.
  public struct Step: Hashable, Sendable {
    /// The entry as read from the file.
    public let entry: ImportEntry
    /// The key of the stored record to compare with and write to. Normally the entry's own. If an
    /// earlier file imported the fast while it was open and it has since ended or been deleted
    /// here, that record's key: the app assigned another id at the end.
    public let key: RecordKey
    /// The entry's fate, decided against the record under `key`.
    public let decision: ImportDecision

    /// The fields to write; empty if nothing is to be written.
    public var values: [ImportEntry.Value] {
      switch decision {
      case .new: entry.values
      case .updated(let fields): entry.values.filter { fields.contains($0.field) }
      case .known, .kept, .deletedHere, .leftOut: []
      }
    }
  }

  /// The steps in file order.
  public let steps: [Step]
  /// The active fast to start, if the file has one.
  public private(set) var active: Session?
  /// Open fasts from an earlier import whose end this file has in a record with the app's own id.
  /// They are abandoned with zero length. Deleting them would count them as completed once pruned,
  /// so the fast would count twice.
  public private(set) var finished: [Session] = []
  /// The plan in numbers.
  public private(set) var report: ImportReport

  /// Plans the import.
  ///
  /// - Parameters:
  ///   - file: One that has passed `ImportFile.check(now:)`.
  ///   - preferFile: See `ImportDecision`.
  ///   - now: The device's clock.
  ///   - stored: Returns the stored record of a key, deleted or not.
  ///   - sessions: Returns the live fasts. Called at most once, and only for the iOS app's files.
  /// - Throws: What the closures throw.
  /// - Complexity: O(n) calls of `stored`, at most two per entry.
  public init<Failure: Error>(
    _ file: ImportFile, preferFile: Bool = false, now: WallTime,
    stored: (RecordKey) throws(Failure) -> Record?, sessions: () throws(Failure) -> [Session]
  ) throws(Failure) {
    steps = try file.entries.map { entry throws(Failure) in
      let (key, record) = try Self.counterpart(of: entry, stored: stored)
      return Step(
        entry: entry, key: key,
        decision: ImportDecision(entry, stored: record, preferFile: preferFile))
    }
    report = ImportReport(file)
    for step in steps { report.count(step) }
    guard file.format == .iosExport || file.format == .iosSessionState else { return }

    let here = try sessions()
    let brought = Set(
      steps.lazy.compactMap { step in
        step.decision == .deletedHere
          ? nil : step.entry.roughSession.map { $0.span.start.wholeSeconds }
      })
    finished = here.filter { session in
      session.span.outcome == .active
        && session.id == SavedActiveFast.importedID(start: session.span.start)
        && brought.contains(session.span.start.wholeSeconds)
    }.map { session in
      let start = session.span.start
      guard let span = Session.Span(start: start, end: start, outcome: .abandoned) else {
        preconditionFailure("a span that ends as it starts is always valid")
      }
      return Session(id: session.id, span: span, targetMinutes: session.targetMinutes)
    }
    report.finished = finished.count
    if let saved = file.active {
      let fate = try fate(of: saved, here: here, brought: brought, now: now, stored: stored)
      report.active = fate
      if fate == .new { active = saved.session(id: saved.importedID) }
    }
  }

  /// See `Step.key`.
  private static func counterpart<Failure: Error>(
    of entry: ImportEntry, stored: (RecordKey) throws(Failure) -> Record?
  ) throws(Failure) -> (key: RecordKey, record: Record?) {
    if let record = try stored(entry.key) { return (entry.key, record) }
    guard let rough = entry.roughSession else { return (entry.key, nil) }
    let id = SavedActiveFast.importedID(start: rough.span.start)
    let key = RecordKey(kind: .session, id: id.bytes)
    guard let record = try stored(key),
      record.isDeleted || (try? Session(record))?.span.outcome == .completed
    else { return (entry.key, nil) }
    return (key, record)
  }

  private func fate<Failure: Error>(
    of saved: SavedActiveFast, here: [Session], brought: Set<Int64>, now: WallTime,
    stored: (RecordKey) throws(Failure) -> Record?
  ) throws(Failure) -> ImportReport.ActiveFate {
    let second = saved.start.wholeSeconds
    let key = RecordKey(kind: .session, id: saved.importedID.bytes)
    if try stored(key) != nil || brought.contains(second)
      || here.contains(where: { $0.span.start.wholeSeconds == second })
    {
      return .known
    }
    let isBusy = here.contains { session in
      session.span.outcome == .active
        && !finished.contains { $0.id == session.id }
    }
    if isBusy { return .anotherGoesOn }
    // A fast that long was forgotten, and importing it would leave the person with an open fast.
    guard now.milliseconds(since: saved.start) <= TypedRules.longestFastMilliseconds else {
      return .tooLong
    }
    return .new
  }
}

/// The numbers of an import.
public struct ImportReport: Hashable, Sendable {
  /// The decisions for the entries of one kind.
  public struct Counts: Hashable, Sendable {
    /// Added.
    public var new = 0
    /// Stored with equal values.
    public var known = 0
    /// Changed to the file's values.
    public var updated = 0
    /// Stored with different values, and left unchanged.
    public var kept = 0
    /// Deleted here, and left deleted.
    public var deletedHere = 0
    /// Not importable: journal entries, and what this build cannot write; see `ImportFile.leftOut`.
    public var leftOut = 0

    /// The number of entries.
    public var total: Int { new + known + updated + kept + deletedHere + leftOut }
  }

  /// The fate of the file's active fast.
  public enum ActiveFate: String, Hashable, Sendable, CaseIterable {
    /// It is started here.
    case new
    /// It is or was stored here.
    case known
    /// Not started, because another fast is active here.
    case anotherGoesOn = "another_goes_on"
    /// Not started, because it began more than 14 days ago.
    case tooLong = "too_long"
  }

  /// The file's format.
  public let format: ImportFile.Format
  /// The format's version.
  public let version: Int
  /// When the file was made, according to itself.
  public let madeAt: WallTime?
  /// The range of all times in the file.
  public let instants: ClosedRange<WallTime>?
  /// The counts by kind, for kinds that the file contains.
  public internal(set) var kinds: [RecordKind: Counts] = [:]
  /// The fate of the active fast; nil if the file has none.
  public internal(set) var active: ActiveFate?
  /// The number of open fasts whose end the file contains.
  public internal(set) var finished = 0

  init(_ file: ImportFile) {
    format = file.format
    version = file.version
    madeAt = file.madeAt
    instants = file.instants
    for (kind, count) in file.leftOut { kinds[kind, default: Counts()].leftOut += count }
  }

  /// The sum over all kinds.
  public var total: Counts {
    kinds.values.reduce(into: Counts()) { sum, next in
      sum.new += next.new
      sum.known += next.known
      sum.updated += next.updated
      sum.kept += next.kept
      sum.deletedHere += next.deletedHere
      sum.leftOut += next.leftOut
    }
  }

  /// Whether the import writes anything.
  public var changesAnything: Bool {
    let total = total
    return total.new + total.updated + finished > 0 || active == .new
  }

  mutating func count(_ step: ImportPlan.Step) {
    let kind = step.entry.key.kind
    switch step.decision {
    case .new: kinds[kind, default: Counts()].new += 1
    case .known: kinds[kind, default: Counts()].known += 1
    case .updated: kinds[kind, default: Counts()].updated += 1
    case .kept: kinds[kind, default: Counts()].kept += 1
    case .deletedHere: kinds[kind, default: Counts()].deletedHere += 1
    case .leftOut: kinds[kind, default: Counts()].leftOut += 1
    }
  }
}
