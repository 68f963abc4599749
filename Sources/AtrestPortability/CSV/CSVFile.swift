// SPDX-License-Identifier: Apache-2.0
// A file of another app with fasts in rows, and what a person says about it. Pure.

import AtrestDomain
import AtrestReplication
import AtrestTransfer

/// A file with fasts in rows, whose columns a person can be asked about: separated values, or the
/// JSON of another app, whose objects are rows and whose members are columns.
public struct CSVFile: Hashable, Sendable {
  private let table: CSVTable
  private let format: ImportFile.Format

  /// Splits a file of separated values.
  ///
  /// - Throws: `CSVProblem`.
  public init(_ bytes: [UInt8]) throws(CSVProblem) {
    (table, format) = (try CSVTable(bytes), .csv)
  }

  /// Reads another app's JSON.
  ///
  /// - Returns: Nil for any other JSON, such as a file that `Portability.parse` reads.
  /// - Throws: `CSVProblem.tooManyRows`.
  public init?(json bytes: [UInt8]) throws(CSVProblem) {
    guard let table = try CSVTable(json: bytes) else { return nil }
    (self.table, format) = (table, .otherJSON)
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
  public func history(_ reading: Reading, now: WallTime) throws(CSVProblem) -> FastHistory {
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
    var history = FastHistory(
      format: format, rowCount: rows.count, targetMinutes: reading.targetMinutes)
    for next in rows {
      switch row.read(next) {
      case .success(let fast): history.add(fast)
      case .failure(let problem): history.skip(next.line, problem.reason)
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
