// SPDX-License-Identifier: Apache-2.0
// The temporary directory of a scenario's server and devices.

import Foundation

/// A directory that is removed with its owner.
final class LabFolder: Sendable {
  let url: URL

  /// The longest parent path. A longer one would exceed the limit of the server's socket path.
  private static let limitBytes = 60

  init() throws(LabError) {
    let usual = FileManager.default.temporaryDirectory
    let parent =
      usual.path.utf8.count <= Self.limitBytes ? usual : URL(fileURLWithPath: "/tmp")
    url = parent.appendingPathComponent(
      "atrest-lab-\(UUID().uuidString.prefix(8).lowercased())", isDirectory: true)
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .folder("The folder \(url.path) cannot be made. Check that there is room, and TMPDIR.")
    }
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Copies a data directory without the files of a running process: socket, lock and shared
  /// memory.
  static func copy(_ from: URL, to: URL) throws(LabError) {
    let files = FileManager.default
    do {
      try files.createDirectory(at: to, withIntermediateDirectories: true)
      for name in try files.contentsOfDirectory(atPath: from.path).sorted() {
        if name.hasSuffix("-shm") || ["lock", "admin.sock", "ballast"].contains(name) { continue }
        try files.copyItem(
          at: from.appendingPathComponent(name), to: to.appendingPathComponent(name))
      }
    } catch {
      throw .folder("A copy in \(to.deletingLastPathComponent().path) failed. Is there room?")
    }
  }
}

/// The failure of a step.
package struct StepError: Error {
  /// The file as given.
  package let file: String
  /// The line, from 1.
  package let line: Int
  /// A `LabError`, `ReplicaError` or `SyncError`.
  package let cause: any Error
}

/// Why a scenario could not be played to its end. Independent of its expectations.
package enum LabError: Error, Hashable, Sendable {
  /// The file system failed.
  case folder(String)
  /// The lab's own server failed.
  case server(String)
  /// The given server or account is unsuitable or failed.
  case given(String)

  /// What happened, then what to do.
  package var userMessage: String {
    switch self {
    case .folder(let sentence), .server(let sentence), .given(let sentence): sentence
    }
  }
}
