// SPDX-License-Identifier: Apache-2.0
// Reads one row of another app's file as a fast, or says why not. Pure.

import AtrestDomain
import AtrestReplication
import AtrestTransfer
import AtrestWire

/// Reads the fast of a row.
struct RowReader {
  /// Why a row is left out. An error, so that a step can end the reading.
  struct Problem: Error {
    let reason: SkipReason
  }

  let reading: CSVFile.Reading
  let durationUnit: CSVLengthUnit
  let targetUnit: CSVLengthUnit
  /// False if hours were assumed.
  let isUnitDeclared: Bool
  let now: WallTime

  func read(_ row: CSVTable.Row) -> Result<FastHistory.Fast, Problem> {
    do throws(Problem) { return .success(try fast(row)) } catch { return .failure(error) }
  }

  private func fast(_ row: CSVTable.Row) throws(Problem) -> FastHistory.Fast {
    let columns = reading.columns
    let begun = columns.start.flatMap { CSVMoment(row[$0], isClock: columns.hasClock(at: $0)) }
    let date = CSVMoment(row[columns.date])
    guard let first = begun ?? date else { throw Problem(reason: .noStart) }
    let day = first.day(reading.order) ?? date?.day(reading.order)
    let starts = try instants(first, on: day, or: .noStart)
    let length = CSVLength(row[columns.duration], durationUnit)
    let endDay = CSVMoment(row[columns.endDate])?.day(reading.order)
    let (start, end) = try span(
      starts, columns.end.flatMap { CSVMoment(row[$0], isClock: columns.hasClock(at: $0)) },
      begun: first, days: (day, endDay), length)
    do throws(InputProblem) {
      try TypedRules.check(start: start, end: end, now: now)
    } catch {
      throw Problem(reason: Self.reason(error))
    }
    guard end > start, let span = Session.Span(start: start, end: end, outcome: .completed) else {
      throw Problem(reason: .endBeforeStart)
    }
    let target = target(row[columns.target])
    return FastHistory.Fast(
      number: row.line,
      session: Session(
        id: Self.id(start: start, end: end), span: span,
        targetMinutes: target ?? reading.targetMinutes), hasOwnTarget: target != nil)
  }

  /// The target that a cell says, in minutes; nil if it says none that can be.
  private func target(_ cell: String) -> Int? {
    let length = CSVLength(plan: cell) ?? CSVLength(cell, targetUnit)
    let minutes = length.map { Int(min($0.minutes, 1_000_000).rounded()) }
    return minutes.flatMap { TypedRules.targetMinutes.contains($0) ? $0 : nil }
  }

  private static func reason(_ problem: InputProblem) -> SkipReason {
    switch problem {
    case .inTheFuture: .inTheFuture
    case .longAgo: .longAgo
    case .fastTooLong: .tooLong
    default: .endBeforeStart
    }
  }

  /// Start and end: as written, or so long after the start. A clock time without a date is the
  /// first after the start; with a length, that which fits it best. So is an hour that clocks show
  /// twice.
  private func span(
    _ starts: [WallTime], _ ended: CSVMoment?, begun: CSVMoment,
    days: (start: LocalDay?, end: LocalDay?), _ length: CSVLength?
  ) throws(Problem) -> (WallTime, WallTime) {
    guard let start = starts.first else { throw Problem(reason: .noStart) }
    guard let ended else {
      guard let length, length.minutes > 0, length.minutes < 1_000_000 else {
        throw Problem(reason: .noEnd)
      }
      return (start, start.advanced(by: Int64((length.minutes * 60_000).rounded())))
    }
    let ends = try ends(ended, after: start, begun: begun, days: days, length)
    let isWhole = ended.instant != nil || ended.day != nil || days.end != nil
    guard let length, length.minutes > 0, !isWhole || isUnitDeclared || length.hasOwnUnit else {
      guard let end = ends.first(where: { $0 > start }) ?? ends.first else {
        throw Problem(reason: .noEnd)
      }
      return (start, end)
    }
    let spans = starts.flatMap { start in ends.map { (start, $0) } }
    let best = spans.min { length.distance($0.0, $0.1) < length.distance($1.0, $1.1) }
    guard let best else { throw Problem(reason: .noEnd) }
    guard best.1 > best.0 else { throw Problem(reason: .endBeforeStart) }
    guard length.fits(best.0, best.1, in: reading.zone) else {
      throw Problem(reason: .contradiction)
    }
    return best
  }

  private func ends(
    _ ended: CSVMoment, after start: WallTime, begun: CSVMoment,
    days: (start: LocalDay?, end: LocalDay?), _ length: CSVLength?
  ) throws(Problem) -> [WallTime] {
    var ended = ended
    if ended.instant != nil || ended.day != nil {
      return try instants(ended, on: ended.day(reading.order), or: .noEnd)
    }
    ended.offset = ended.offset ?? begun.offset
    if let end = days.end { return try instants(ended, on: end, or: .noEnd) }
    guard var endDay = days.start else { throw Problem(reason: .noEnd) }
    let onFirst = try instants(ended, on: endDay, or: .noEnd)
    if let length {
      let minutes = Double((onFirst.first ?? start).milliseconds(since: start)) / 60_000
      let days = min(max(((length.minutes - minutes) / 1440).rounded(), 0), 15)
      for _ in 0..<Int(days) { endDay = endDay.next }
    } else if !onFirst.contains(where: { $0 > start }) {
      endDay = endDay.next
    }
    return try instants(ended, on: endDay, or: .noEnd)
  }

  private func instants(
    _ moment: CSVMoment, on day: LocalDay?, or reason: SkipReason
  ) throws(Problem) -> [WallTime] {
    if let instant = moment.instant { return [instant] }
    guard let day, let second = moment.second else { throw Problem(reason: reason) }
    let zone = moment.offset.flatMap { ZoneOffsets(first: $0) } ?? reading.zone
    let instants = day.instants(atSecond: second, in: zone)
    guard !instants.isEmpty else { throw Problem(reason: .skippedTime) }
    return instants
  }

  /// The id of a fast without one, from what is in the file.
  private static func id(start: WallTime, end: WallTime) -> RecordUUID {
    RecordUUID(hashing: "atrest csv fast \(start.milliseconds) \(end.milliseconds)")
  }
}
