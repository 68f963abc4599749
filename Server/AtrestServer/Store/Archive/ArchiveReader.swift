// SPDX-License-Identifier: Apache-2.0
// Reads a table of an archive row by row, one page ahead.

/// A reader of one table. While its rows are taken, the next page is read.
struct ArchiveReader: ~Copyable {
  private typealias Page = Result<[ArchiveRow], StoreError>

  private let archive: any ArchiveRows
  private let table: ArchiveTable
  private var rows: ArraySlice<ArchiveRow> = []
  private var upcoming: Task<Page, Never>?

  /// - Parameter key: The rows after it are read.
  init(_ archive: any ArchiveRows, _ table: ArchiveTable, after key: ArchiveKey = .start) {
    self.archive = archive
    self.table = table
    upcoming = Self.read(archive, table, key)
  }

  deinit {
    upcoming?.cancel()
  }

  private static func read(
    _ archive: any ArchiveRows, _ table: ArchiveTable, _ key: ArchiveKey
  ) -> Task<Page, Never> {
    Task {
      do throws(StoreError) {
        return .success(try await archive.page(of: table, after: key))
      } catch {
        return .failure(error)
      }
    }
  }

  /// The rest of the current page, or the next one; empty at the end of the table.
  mutating func nextPage() async throws(StoreError) -> [ArchiveRow] {
    try await fill()
    defer { rows = [] }
    return Array(rows)
  }

  /// The next row, which stays the next one; nil at the end of the table.
  mutating func peek() async throws(StoreError) -> ArchiveRow? {
    if rows.isEmpty { try await fill() }
    return rows.first
  }

  /// The next row; nil at the end of the table.
  mutating func next() async throws(StoreError) -> ArchiveRow? {
    if rows.isEmpty { try await fill() }
    return rows.popFirst()
  }

  private mutating func fill() async throws(StoreError) {
    guard rows.isEmpty, let page = upcoming else { return }
    upcoming = nil
    rows = try await page.value.get()[...]
    if let last = rows.last { upcoming = Self.read(archive, table, last.key) }
  }
}
