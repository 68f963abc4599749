// SPDX-License-Identifier: Apache-2.0
// Temporary folders for tests.

import Foundation

/// A temporary folder, removed with its last reference. Only its owner has access.
public final class Folder: Sendable {
  /// The folder's location. Short, because a Unix socket's path is limited to 107 bytes.
  public let url: URL

  /// Creates an empty folder.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-" + UUID().uuidString.prefix(13))
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of an item in the folder.
  public func path(_ name: String) -> String {
    url.appendingPathComponent(name).path
  }
}
