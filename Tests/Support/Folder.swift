// SPDX-License-Identifier: Apache-2.0
// Folders for tests that touch the disk.

import Foundation

/// A folder of a test's own, removed with its last reference. Only its owner can look into it.
public final class Folder: Sendable {
  /// Where it is. Short: a Unix socket's path has 108 bytes.
  public let url: URL

  /// An empty folder.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-" + UUID().uuidString.prefix(13))
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of something in it.
  public func path(_ name: String) -> String {
    url.appendingPathComponent(name).path
  }
}
