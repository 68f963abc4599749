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
    var found: (header: [String], list: [StrictJSON])?
    for list in lists {
      let header = try Self.header(of: list)
      let columns = CSVColumns(header: header)
      guard columns.start != nil, columns.end != nil || columns.duration != nil else { continue }
      // Which of two lists is meant is unknown.
      guard found == nil else { return nil }
      found = (header, list)
    }
    guard let (header, list) = found else { return nil }
    rows =
      [Row(line: 0, cells: header)]
      + list.enumerated().map { index, entry in
        let cells = entry.members.map { members in header.map { Self.cell(members[$0]) } }
        return Row(line: index + 1, cells: cells ?? [])
      }
  }

  /// The names of all members, sorted. Bounds the table that they head.
  private static func header(of list: [StrictJSON]) throws(CSVProblem) -> [String] {
    guard list.count <= Limits.rows else { throw .tooManyRows }
    var (names, entries): (Set<String>, Int) = ([], 0)
    for case let members? in list.lazy.map(\.members) {
      names.formUnion(members.keys)
      entries += 1
      guard names.count <= Limits.columns, names.count * entries <= limitValues else {
        throw .tooManyRows
      }
    }
    return names.sorted()
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
