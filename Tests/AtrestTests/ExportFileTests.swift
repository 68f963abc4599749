// SPDX-License-Identifier: Apache-2.0
// A file that people asked for: whole, and on the disk, before they are told.

import AtrestCommandLine
import AtrestTestSupport
import Foundation
import Testing

@testable import atrest

@Suite("An export's file", .timeLimit(.minutes(20)))
struct ExportFileTests {
  @Test("is on the disk before it has its name, and then the name is")
  func synced() throws {
    let folder = try Folder()
    let file = try ExportFile(folder.path("export.json"))
    try file.write("{}")
    try file.finish()
    let synced = SyncedPaths.under(folder.url)
    #expect(synced.count == 2 && synced.last == ".")
    #expect(synced.first?.hasPrefix("export.json.part-") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["export.json"])
    #expect(try String(contentsOfFile: folder.path("export.json"), encoding: .utf8) == "{}")
  }

  @Test("that is given up leaves nothing")
  func dropped() throws {
    let folder = try Folder()
    do {
      let file = try ExportFile(folder.path("export.json"))
      try file.write("{}")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }
}
