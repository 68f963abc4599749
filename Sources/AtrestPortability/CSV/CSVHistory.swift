// SPDX-License-Identifier: Apache-2.0
// Reads the fasts of another app's file of separated values: what is taken, and what is not and
// why. Pure.

import AtrestDomain
import AtrestReplication
import AtrestTransfer
import AtrestWire
import Foundation

/// A file whose columns a person can be asked about.
public struct CSVFile: Hashable, Sendable {
  private let table: CSVTable

  /// Splits a file.
  ///
  /// - Throws: `CSVProblem`.
  public init(_ bytes: [UInt8]) throws(CSVProblem) {
    table = try CSVTable(bytes)
  }

  /// Whether a file looks like JSON, which `Portability.parse` reads, and not like rows.
  public static func looksLikeJSON(_ bytes: [UInt8]) -> Bool {
    let first = Portability.withoutMark(bytes).first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// The cells of the first row: names of columns, in most files.
  public var header: [String] { table.rows.first?.cells ?? [] }

  /// The second row, as an example of what the columns hold.
  public var example: [String] { table.rows.dropFirst().first?.cells ?? [] }

  /// What the person says about the file.
  public struct Reading: Hashable, Sendable {
    /// The columns.
    public var columns: CSVColumns
    /// The order of dates with two readings; nil if the person said nothing.
    public var order: DateOrder?
    /// The zone of times without one.
    public var zone: ZoneOffsets
    /// The target in minutes of rows without one.
    public var targetMinutes: Int

    /// - Parameter targetMinutes: 16 hours unless said.
    public init(
      columns: CSVColumns, order: DateOrder? = nil, zone: ZoneOffsets,
      targetMinutes: Int = Session.defaultTargetMinutes
    ) {
      self.columns = columns
      self.order = order
      self.zone = zone
      self.targetMinutes = targetMinutes
    }
  }

  /// Reads the fasts.
  ///
  /// The first row is a header if its start is no time. A row that cannot be is left out, and the
  /// others are taken. Ids follow from start and end, so a file that is read again, or another one
  /// with the same fasts, has the same records.
  /// - Throws: `CSVProblem` for columns that are missing, and dates that have two readings.
  /// - Complexity: O(n log n) in the rows.
  public func history(_ reading: Reading, now: WallTime) throws(CSVProblem) -> CSVHistory {
    let columns = reading.columns
    guard let start = columns.start ?? columns.date else { throw .noStartColumn }
    guard columns.end != nil || columns.duration != nil else { throw .noEndColumn }
    let hasHeader = table.rows.first.map { CSVMoment($0[start]) == nil } ?? false
    let rows = hasHeader ? table.rows.dropFirst() : table.rows[...]
    var reading = reading
    reading.order = try order(of: rows, reading)
    let names = hasHeader ? header : []
    func name(_ column: Int?) -> String {
      column.flatMap { names.indices.contains($0) ? names[$0] : nil } ?? ""
    }
    let row = RowReader(
      reading: reading, durationUnit: try Self.unit(name(columns.duration)),
      targetUnit: try Self.unit(name(columns.target)),
      isUnitDeclared: CSVLengthUnit.isDeclared(by: name(columns.duration)), now: now)
    var history = CSVHistory(rowCount: rows.count, targetMinutes: reading.targetMinutes)
    for next in rows {
      switch row.read(next) {
      case .success(let fast): history.add(fast)
      case .failure(let problem): history.skip(line: next.line, problem.reason)
      }
    }
    return history
  }

  private static func unit(_ columnName: String) throws(CSVProblem) -> CSVLengthUnit {
    guard let unit = CSVLengthUnit(columnName: columnName) else {
      throw .unknownUnit(column: columnName)
    }
    return unit
  }

  /// The order of the dates: as the person said, else as dates with a number above 12 tell.
  private func order(
    of rows: ArraySlice<CSVTable.Row>, _ reading: Reading
  ) throws(CSVProblem) -> DateOrder? {
    if let order = reading.order { return order }
    var told: [DateOrder: Int] = [:]
    var ambiguous: Int?
    for row in rows {
      let columns = reading.columns
      for column in [columns.date, columns.start, columns.endDate, columns.end] {
        guard let column,
          let moment = CSVMoment(row[column], isClock: columns.hasClock(at: column))
        else { continue }
        if let order = moment.toldOrder { told[order] = told[order] ?? row.line }
        if moment.isAmbiguous { ambiguous = ambiguous ?? row.line }
      }
    }
    if let dayFirst = told[.dayFirst], let monthFirst = told[.monthFirst] {
      throw .contradictoryDates(dayFirst: dayFirst, monthFirst: monthFirst)
    }
    if let order = told.keys.first { return order }
    if let ambiguous { throw .ambiguousDates(line: ambiguous) }
    return nil
  }
}

/// The fasts of a file of separated values.
public struct CSVHistory: Hashable, Sendable {
  /// A fast, and where it is in the file.
  public struct Fast: Hashable, Sendable {
    /// The line on which its row begins, from 1.
    public let line: Int
    /// The fast.
    public let session: Session
  }

  /// A row that was left out.
  public struct Skipped: Hashable, Sendable {
    /// The line on which it begins, from 1.
    public let line: Int
    /// Why.
    public let reason: CSVSkip
  }

  /// The rows below the header.
  public let rowCount: Int
  /// The target of rows without one, in minutes.
  public let targetMinutes: Int
  /// What is taken, in file order.
  public private(set) var fasts: [Fast] = []
  /// What is not, in file order.
  public private(set) var skipped: [Skipped] = []
  private var lines: [RecordUUID: Int] = [:]

  init(rowCount: Int, targetMinutes: Int) {
    self.rowCount = rowCount
    self.targetMinutes = targetMinutes
  }

  mutating func add(_ fast: Fast) {
    guard lines.updateValue(fast.line, forKey: fast.session.id) == nil else {
      return skip(line: fast.line, .repeated)
    }
    fasts.append(fast)
  }

  mutating func skip(line: Int, _ reason: CSVSkip) {
    skipped.append(Skipped(line: line, reason: reason))
  }

  /// The lines of fasts that share time, in pairs, earliest first: each with the one before it that
  /// ends last. Like `Overlap`, only fasts of the history count.
  ///
  /// - Complexity: O(n log n): a file whose fasts all share time is as quick as any.
  public var overlaps: [(Int, Int)] {
    var found: [(Int, Int)] = []
    var last: (end: WallTime, line: Int)?
    for fast in Self.spans(fasts.map(\.session)) {
      let line = lines[fast.id] ?? 0
      if let last, fast.start < last.end { found.append((last.line, line)) }
      if last.map({ $0.end < fast.end }) ?? true { last = (fast.end, line) }
    }
    return found
  }

  /// The lines of fasts that share time with one of others, which are not the same fasts.
  ///
  /// - Complexity: O((n + m) log m).
  public func lines(overlapping others: [Session]) -> [Int] {
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
    }.compactMap { lines[$0.id] }.sorted()
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

  /// A copy without the fasts of some lines.
  public func without(lines unwanted: [Int]) -> CSVHistory {
    let unwanted = Set(unwanted)
    var copy = self
    copy.fasts.removeAll { unwanted.contains($0.line) }
    copy.skipped = (skipped + unwanted.map { Skipped(line: $0, reason: .overlaps) })
      .sorted { $0.line < $1.line }
    return copy
  }

  /// The fasts as a file to import.
  ///
  /// - Throws: `PortabilityError` of a fast that cannot be, which no row that was read is.
  public func importFile() throws(PortabilityError) -> ImportFile {
    var file = ImportFile(format: .csv, version: 1, madeAt: nil)
    for fast in fasts {
      guard let end = fast.session.span.end else { continue }
      try file.add(
        .session(
          id: fast.session.id, start: fast.session.span.start, end: end,
          targetHours: Double(fast.session.targetMinutes) / 60, place: .line(fast.line)))
    }
    return file
  }
}

/// Reads one row.
private struct RowReader {
  /// Why a row is left out. An error, so that a step can end the reading.
  struct Problem: Error {
    let reason: CSVSkip
  }

  let reading: CSVFile.Reading
  let durationUnit: CSVLengthUnit
  let targetUnit: CSVLengthUnit
  /// False if hours were assumed.
  let isUnitDeclared: Bool
  let now: WallTime

  func read(_ row: CSVTable.Row) -> Result<CSVHistory.Fast, Problem> {
    do throws(Problem) { return .success(try fast(row)) } catch { return .failure(error) }
  }

  private func fast(_ row: CSVTable.Row) throws(Problem) -> CSVHistory.Fast {
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
    let target = CSVLength(row[columns.target], targetUnit).flatMap { length in
      let minutes = Int(min(length.minutes, 1_000_000).rounded())
      return TypedRules.targetMinutes.contains(minutes) ? minutes : nil
    }
    return CSVHistory.Fast(
      line: row.line,
      session: Session(
        id: Self.id(start: start, end: end), span: span,
        targetMinutes: target ?? reading.targetMinutes))
  }

  private static func reason(_ problem: InputProblem) -> CSVSkip {
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
    _ moment: CSVMoment, on day: LocalDay?, or reason: CSVSkip
  ) throws(Problem) -> [WallTime] {
    if let instant = moment.instant { return [instant] }
    guard let day, let second = moment.second else { throw Problem(reason: reason) }
    let zone = moment.offset.flatMap { ZoneOffsets(first: $0) } ?? reading.zone
    let instants = day.instants(atSecond: second, in: zone)
    guard !instants.isEmpty else { throw Problem(reason: .skippedTime) }
    return instants
  }

  /// The id of a fast without one, from what is in the file.
  ///
  private static func id(start: WallTime, end: WallTime) -> RecordUUID {
    RecordUUID(hashing: "atrest csv fast \(start.milliseconds) \(end.milliseconds)")
  }
}
