// SPDX-License-Identifier: Apache-2.0
// What can be wrong with a store, and how to say it to the person who keeps it.

/// Why a store cannot be opened, or did not do what it was asked. Never holds contents of a row.
package enum StoreError: Error, Equatable {
  /// Another process holds the store; its id, if it could be read.
  case inUse(directory: String, process: Int32?)
  /// The store was made by a newer version of this program. It was not touched.
  case newerVersion(path: String, found: Int, supported: Int)
  /// The file or folder holds something else. It was not touched.
  case notAStore(path: String)
  /// The file is damaged, in SQLite's words. It was not overwritten.
  case damaged(path: String, reason: String)
  /// The folder or a file in it cannot be made or opened.
  case cannotOpen(path: String, reason: String)
  /// There is no room. Nothing of the transaction happened; reads go on.
  case full
  /// The system failed to read or write. What was being written is in doubt until the store is
  /// opened again.
  case inputOutput(reason: String)
  /// A commit returned an error: it may be on disk, or not. Only opening the store again tells.
  case commitUnknown(reason: String)
  /// A statement failed for a reason of its own. Nothing of the transaction happened.
  case failed(reason: String)
  /// The store was closed.
  case closed
  /// The caller had gone before it was done. It was not.
  case notAwaited

  /// Whether the process must end rather than go on with this store: after an error of input or
  /// output the same handle may show and keep what is not on disk, so only recovery on a fresh
  /// start tells the truth.
  package var isFatal: Bool {
    switch self {
    case .inputOutput, .commitUnknown, .damaged: true
    case .inUse, .newerVersion, .notAStore, .cannotOpen, .full, .failed, .closed, .notAwaited: false
    }
  }

  /// What happened, then what to do.
  package var userMessage: String {
    switch self {
    case .inUse(let directory, let process):
      "Another atrest-syncd\(process.map { " (process \($0))" } ?? "") uses \(directory). "
        + "Stop it first, or choose another folder with --data."
    case .newerVersion(let path, let found, let supported):
      "\(path) was made by a newer version of atrest-syncd (format \(found); this one knows up to "
        + "\(supported)). Nothing was changed. Install the newer version again."
    case .notAStore(let path):
      "\(path) holds something that is not Atrest's. Nothing was changed. "
        + "Choose an empty or new folder with --data."
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)). Nothing was overwritten. Keep a copy of the folder, "
        + "then put a backup in its place with atrest-syncd restore."
    case .cannotOpen(let path, let reason):
      "\(path) cannot be opened: \(reason). Check that the folder exists and belongs to this user."
    case .full:
      "There is no room left on the disk. Nothing was lost. Free some space; writing then goes on."
    case .inputOutput(let reason):
      "The disk failed (\(reason)). Check it, then start atrest-syncd again."
    case .commitUnknown(let reason):
      "The disk failed while a change was being made durable (\(reason)). Check it, then start "
        + "atrest-syncd again: devices send again what was not confirmed to them."
    case .failed(let reason):
      "The store refused a statement (\(reason)). Nothing was changed. Please report this."
    case .closed:
      "The store is closed: the server is stopping."
    case .notAwaited:
      "The caller had gone before it was done."
    }
  }
}
