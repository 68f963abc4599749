// SPDX-License-Identifier: Apache-2.0
// Files that people name: read whole, or not at all, and never waited for.

import AtrestSockets
import Foundation
import Testing

@Suite("A small file")
struct SmallFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("atrest-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  @Test("is read whole up to its bound, and not at all beyond it", arguments: [0, 1, 9, 10, 11])
  func bound(count: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = [UInt8](repeating: 7, count: count)
    try Data(bytes).write(to: folder.appendingPathComponent("file"))
    #expect(SmallFile.read(path("file"), limitBytes: 10) == (count <= 10 ? bytes : nil))
  }

  @Test("is no pipe, which would be waited for, no folder, and not what is missing")
  func others() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(mkfifo(path("pipe"), 0o600) == 0)
    #expect(SmallFile.read(path("pipe"), limitBytes: 10) == nil)
    #expect(SmallFile.read(folder.path, limitBytes: 10) == nil)
    #expect(SmallFile.read(path("missing"), limitBytes: 10) == nil)
    #expect(SmallFile.read("/dev/zero", limitBytes: 10) == nil)
  }
}
