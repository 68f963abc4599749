// SPDX-License-Identifier: Apache-2.0
// What bringing in a file would do to a replica, decided before anything is done. Pure.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation

/// What bringing in a file does, entry by entry.
public struct ImportPlan: Sendable {
  /// What becomes of an entry.
  public struct Step: Hashable, Sendable {
    /// The record.
    public let entry: ImportEntry
    /// The record here that is compared, and written: the entry's own; or the fast that an earlier
    /// file brought as open, if it ended or was deleted here. The app gave it another id when it
    /// ended there.
    public let key: RecordKey
    /// What becomes of it.
    public let decision: ImportDecision

    /// The fields to write; none if nothing is to be written.
    public var values: [ImportEntry.Value] {
      switch decision {
      case .new: entry.values
      case .updated(let fields): entry.values.filter { fields.contains($0.field) }
      case .known, .kept, .deletedHere, .leftOut: []
      }
    }
  }

  /// The entries, in the file's order.
  public let steps: [Step]
  /// The fast that goes on, if the file brings one.
  public private(set) var active: Session?
  /// Open fasts that an earlier file brought, and of which this one holds the end in a record of
  /// the app's own. They are let go, with no length: a deletion would count as a completed fast
  /// once its payload is pruned, and the fast would count twice.
  public private(set) var finished: [Session] = []
  /// The same in numbers.
  public private(set) var report: ImportReport

  /// Decides everything.
  ///
  /// - Parameters:
  ///   - preferFile: See `ImportDecision`.
  ///   - now: The device's clock.
  ///   - stored: The record under a key, deleted or not.
  ///   - sessions: The fasts here that are not deleted. Called at most once, and only for the iOS
  ///     app's files.
  /// - Throws: `PortabilityError.impossible` for an entry of the future; what the closures throw.
  /// - Complexity: O(n) calls of `stored`, at most two for each entry.
  public init(
    _ file: ImportFile, preferFile: Bool = false, now: Date,
    stored: (RecordKey) throws -> Record?, sessions: () throws -> [Session]
  ) throws {
    try file.check(now: now)
    steps = try file.entries.map { entry in
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
          ? nil : step.entry.roughSession.map { IOSInstant($0.span.start).seconds }
      })
    finished = here.filter { session in
      session.span.outcome == .active
        && session.id == SavedActiveFast.importedID(start: session.span.start)
        && brought.contains(IOSInstant(session.span.start).seconds)
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
  private static func counterpart(
    of entry: ImportEntry, stored: (RecordKey) throws -> Record?
  ) throws -> (key: RecordKey, record: Record?) {
    if let record = try stored(entry.key) { return (entry.key, record) }
    guard let rough = entry.roughSession else { return (entry.key, nil) }
    let id = SavedActiveFast.importedID(start: rough.span.start)
    let key = RecordKey(kind: .session, id: id.bytes)
    guard let record = try stored(key),
      record.isDeleted || (try? Session(record))?.span.outcome == .completed
    else { return (entry.key, nil) }
    return (key, record)
  }

  private func fate(
    of saved: SavedActiveFast, here: [Session], brought: Set<Int64>, now: Date,
    stored: (RecordKey) throws -> Record?
  ) throws -> ImportReport.ActiveFate {
    let second = IOSInstant(saved.start).seconds
    let key = RecordKey(kind: .session, id: saved.importedID.bytes)
    if try stored(key) != nil || brought.contains(second)
      || here.contains(where: { IOSInstant($0.span.start).seconds == second })
    {
      return .known
    }
    let isBusy = here.contains { session in
      session.span.outcome == .active
        && !finished.contains { $0.id == session.id }
    }
    if isBusy { return .anotherGoesOn }
    // It was forgotten, not fasted: to begin it here would put a fast without an end before the
    // person.
    guard now.timeIntervalSince(saved.start) <= TypedRules.longestFast else { return .tooLong }
    return .new
  }
}

/// What bringing in a file does, in numbers.
public struct ImportReport: Hashable, Sendable {
  /// What becomes of the entries of a kind.
  public struct Counts: Hashable, Sendable {
    /// Not here before.
    public var new = 0
    /// Here already, as the file has them.
    public var known = 0
    /// Here, and changed to what the file has.
    public var updated = 0
    /// Here and different, and left as they are here.
    public var kept = 0
    /// Deleted here, and left so.
    public var deletedHere = 0
    /// Not brought in: the journal from any file, and what this build cannot write; see
    /// `ImportFile.leftOut`.
    public var leftOut = 0

    /// All.
    public var total: Int { new + known + updated + kept + deletedHere + leftOut }
  }

  /// What becomes of the fast that was going on.
  public enum ActiveFate: String, Hashable, Sendable, CaseIterable {
    /// It goes on here.
    case new
    /// It is here, or was.
    case known
    /// Another one goes on here; that one stays alone.
    case anotherGoesOn = "another_goes_on"
    /// It began more than 14 days ago.
    case tooLong = "too_long"
  }

  /// The file's format.
  public let format: ImportFile.Format
  /// The format's version.
  public let version: Int
  /// When the file was made, as it says.
  public let madeAt: Date?
  /// The earliest and the latest of all starts, ends and times in the file.
  public let instants: ClosedRange<Date>?
  /// By kind; only kinds that the file holds.
  public internal(set) var kinds: [RecordKind: Counts] = [:]
  /// What becomes of the fast that was going on; nil if the file has none.
  public internal(set) var active: ActiveFate?
  /// Open fasts whose end the file brings.
  public internal(set) var finished = 0

  init(_ file: ImportFile) {
    format = file.format
    version = file.version
    madeAt = file.madeAt
    instants = file.instants
    for (kind, count) in file.leftOut { kinds[kind, default: Counts()].leftOut += count }
  }

  /// The kinds together.
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

  /// Whether anything is written.
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
