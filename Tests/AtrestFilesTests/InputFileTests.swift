// SPDX-License-Identifier: Apache-2.0
// Reading what a person names as input: completely, from pipes too, and within a bound.

import AtrestFiles
import Foundation
import Testing

@Suite("Input that a person names", .timeLimit(.minutes(20)))
struct InputFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("atrest-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  @Test("a file is read whole up to the bound", arguments: [0, 65_536, 100_000, 100_001])
  func bound(count: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    try Data(bytes).write(to: folder.appendingPathComponent("file"))
    if count <= 100_000 {
      #expect(try InputFile.read(path("file"), limitBytes: 100_000) == bytes)
    } else {
      #expect(throws: SmallFileProblem.tooLong) {
        try InputFile.read(path("file"), limitBytes: 100_000)
      }
    }
  }

  @Test("a device without an end is read up to the bound, a folder and what is missing not at all")
  func others() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(throws: SmallFileProblem.tooLong) { try InputFile.read("/dev/zero", limitBytes: 10) }
    #expect(throws: SmallFileProblem.system(EISDIR)) {
      try InputFile.read(folder.path, limitBytes: 10)
    }
    #expect(throws: SmallFileProblem.system(ENOENT)) {
      try InputFile.read(path("missing"), limitBytes: 10)
    }
  }
}
