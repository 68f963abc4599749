// SPDX-License-Identifier: Apache-2.0
// Reading files that people name, completely or not at all and without blocking, and replacing
// files.

import AtrestFiles
import AtrestTestSupport
import Foundation
import Testing

@Suite("A small file", .timeLimit(.minutes(20)))
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
    if count <= 10 {
      #expect(try SmallFile.read(path("file"), limitBytes: 10) == bytes)
    } else {
      #expect(throws: SmallFileProblem.tooLong) { try SmallFile.read(path("file"), limitBytes: 10) }
    }
  }

  @Test("is no pipe, which would be waited for, no folder, and not what is missing")
  func others() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(mkfifo(path("pipe"), 0o600) == 0)
    for other in [path("pipe"), folder.path, "/dev/zero"] {
      #expect(throws: SmallFileProblem.notAFile) { try SmallFile.read(other, limitBytes: 10) }
    }
    #expect(throws: SmallFileProblem.system(ENOENT)) {
      try SmallFile.read(path("missing"), limitBytes: 10)
    }
  }

  @Test("is refused where it should be private and others may read it", arguments: [0o640, 0o604])
  func exposed(mode: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try SmallFile.store([1, 2], at: path("key"))
    #expect(try SmallFile.read(path("key"), limitBytes: 10, isPrivate: true) == [1, 2])
    try #require(chmod(path("key"), mode_t(mode)) == 0)
    #expect(throws: SmallFileProblem.exposed) {
      try SmallFile.read(path("key"), limitBytes: 10, isPrivate: true)
    }
    #expect(try SmallFile.read(path("key"), limitBytes: 10) == [1, 2])
  }

  @Test("grows at its end, is its owner's alone, and is not reached through a link")
  func appended() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try SmallFile.append([1, 2], to: path("list"))
    try SmallFile.append([3], to: path("list"))
    #expect(try SmallFile.read(path("list"), limitBytes: 9, isPrivate: true) == [1, 2, 3])
    try #require(symlink(path("list"), path("link")) == 0)
    #expect(throws: SmallFileProblem.system(ELOOP)) { try SmallFile.append([4], to: path("link")) }
    #expect(throws: SmallFileProblem.system(ENOENT)) {
      try SmallFile.append([4], to: path("missing/list"))
    }
  }

  @Test("takes another's place whole, and leaves no draft behind", arguments: [false, true])
  func replaced(isDurable: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for bytes in [[1, 2, 3], [], [UInt8](repeating: 9, count: 100_000)] as [[UInt8]] {
      if isDurable {
        try Data([7]).write(to: folder.appendingPathComponent("file.new"))
        try SmallFile.store(bytes, at: path("file"))
      } else {
        try SmallFile.replace(path("file"), with: bytes)
      }
      #expect(try SmallFile.read(path("file"), limitBytes: 100_000, isPrivate: true) == bytes)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }
  }

  @Test(
    "is on the disk before it has its name, and then the name is; what may be lost is not synced")
  func synced() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try SmallFile.replace(path("file"), with: [1])
    #expect(SyncedPaths.under(folder) == [])
    try SmallFile.store([1, 2], at: path("file"))
    #expect(SyncedPaths.under(folder) == ["file.new", "."])
  }

  @Test("stays as it was where another cannot take its place")
  func kept() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(atPath: path("file"), withIntermediateDirectories: true)
    #expect(throws: SmallFileProblem.system(EISDIR)) { try SmallFile.store([1], at: path("file")) }
    #expect(throws: SmallFileProblem.system(ENOENT)) {
      try SmallFile.replace(path("missing/file"), with: [1])
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
  }
}
