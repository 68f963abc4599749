// SPDX-License-Identifier: Apache-2.0
// Reads another app's JSON as rows: its objects, with their members as cells. Pure and bounded.

import AtrestDomain
import AtrestTransfer

extension CSVTable {
  /// The most values in a file, and the most cells of its table.
  private static let limitValues = 2_000_000

  /// Reads a list of objects: the whole file, or that list in it of which the columns of a history
  /// are known. The first row has the members' names, sorted; the number of a row is that of its
  /// entry, from 1.
  ///
  /// - Returns: Nil for JSON without such a list, for what is no JSON, and for the files of the iOS
  ///   app.
  /// - Throws: `CSVProblem.tooManyRows`.
  init?(json bytes: [UInt8]) throws(CSVProblem) {
    guard bytes.count <= Portability.Limits.fileBytes,
      let json = StrictJSON(Portability.withoutMark(bytes), valueLimit: Self.limitValues),
      !Portability.isOfIOS(json)
    else { return nil }
    let lists = json.elements.map { [$0] } ?? json.members?.values.compactMap(\.elements) ?? []
    var tables: [[Row]] = []
    for list in lists where list.contains(where: { $0.members != nil }) {
      let rows = try Self.rows(of: list)
      let columns = CSVColumns(header: rows[0].cells)
      if columns.start != nil, columns.end != nil || columns.duration != nil { tables.append(rows) }
    }
    guard tables.count == 1, let rows = tables.first else { return nil }
    self.rows = rows
  }

  private static func rows(of list: [StrictJSON]) throws(CSVProblem) -> [Row] {
    guard list.count <= Limits.rows else { throw .tooManyRows }
    var names: Set<String> = []
    for element in list { names.formUnion(element.members?.keys.map { $0 } ?? []) }
    let header = names.sorted()
    guard header.count <= Limits.columns, header.count * list.count <= limitValues else {
      throw .tooManyRows
    }
    return [Row(line: 0, cells: header)]
      + list.enumerated().map { index, element in
        Row(line: index + 1, cells: header.map { cell(element.members?[$0]) })
      }
  }

  /// A value as text; empty for one that says nothing of when a fast was.
  private static func cell(_ value: StrictJSON?) -> String {
    switch value {
    case .string(let text): text.utf8.count <= Limits.cellBytes ? text : ""
    case .integer(let number): String(number)
    case .otherNumber(let text): text
    case .bool, .null, .object, .array, nil: ""
    }
  }
}
