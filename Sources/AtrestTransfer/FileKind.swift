// SPDX-License-Identifier: Apache-2.0
// Recognises files that are no history by their first bytes. Pure.

/// What a file is that people take for an export.
public enum FileKind: Hashable, Sendable, CaseIterable {
  /// ZIP, gzip, 7-Zip or RAR: something packed.
  case archive
  /// A spreadsheet program's own format.
  case workbook
  /// iCalendar.
  case calendar
  /// Apple Health's `export.xml`.
  case appleHealth
  /// HTML.
  case webPage
  /// Any other XML.
  case xml
  /// PDF.
  case pdf
  /// A database of SQLite.
  case database
  /// PNG, JPEG, GIF or HEIC.
  case picture

  /// How much of a file is looked at, in bytes. The declarations of Apple Health have some 10 KiB.
  private static let limitBytes = 64 * 1024

  private static let signatures: [(FileKind, [UInt8])] = [
    (.archive, [0x50, 0x4B, 0x03, 0x04]), (.archive, [0x50, 0x4B, 0x05, 0x06]),
    (.archive, [0x1F, 0x8B]), (.archive, [0x37, 0x7A, 0xBC, 0xAF]), (.archive, Array("Rar!".utf8)),
    (.workbook, [0xD0, 0xCF, 0x11, 0xE0]), (.pdf, Array("%PDF-".utf8)),
    (.database, Array("SQLite format 3".utf8)), (.picture, [0x89, 0x50, 0x4E, 0x47]),
    (.picture, [0xFF, 0xD8, 0xFF]), (.picture, Array("GIF8".utf8)),
  ]

  /// Names within the ZIP files that are workbooks: Excel's, OpenDocument's and those of Numbers.
  private static let workbookNames = ["xl/", "opendocument.spreadsheet", "Index/Document.iwa"]

  /// Recognises a file; nil for what may be a history.
  ///
  /// - Parameter file: The whole file, or its beginning.
  public init?(_ file: [UInt8]) {
    let bytes = Portability.withoutMark(Array(file.prefix(Self.limitBytes)))
    if let kind = Self.signatures.first(where: { bytes.starts(with: $0.1) })?.0 {
      let isWorkbook = kind == .archive && Self.workbookNames.contains { bytes.holds($0) }
      self = isWorkbook ? .workbook : kind
    } else if bytes.dropFirst(4).starts(with: Array("ftyphei".utf8)) {
      self = .picture
    } else {
      let text = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      let start = String(decoding: text.prefix(16), as: UTF8.self).lowercased()
      if start.hasPrefix("begin:vcalendar") {
        self = .calendar
      } else if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") {
        self = .webPage
      } else if start.hasPrefix("<") {
        self = bytes.holds("<HealthData") ? .appleHealth : .xml
      } else {
        return nil
      }
    }
  }
}

extension Array where Element == UInt8 {
  /// Whether a word is in these bytes.
  fileprivate func holds(_ word: String) -> Bool {
    let wanted = Array(word.utf8)
    return indices.contains { self[$0] == wanted.first && self[$0...].starts(with: wanted) }
  }
}
