// SPDX-License-Identifier: Apache-2.0
// The errors of backups, with the message for the owner.

/// Why a backup was not made, verified or restored. Never holds contents of a row.
package enum BackupError: Error, Equatable {
  /// The file exists. It was not touched.
  case exists(path: String)
  /// The file cannot be written.
  case cannotWrite(path: String, reason: String)
  /// The disk is full.
  case full(path: String)
  /// The file cannot be read.
  case cannotRead(path: String, reason: String)
  /// The file is no backup.
  case notABackup(path: String)
  /// A newer version of this program made it.
  case newerVersion(path: String, found: Int, supported: Int)
  /// A write-ahead log lies beside it: it is the database of a server that runs, or was killed.
  case unfinished(path: String)
  /// It is damaged.
  case damaged(path: String, reason: String)
  /// It differs from the checksum beside it, though nothing else is wrong with it.
  case changed(path: String)
  /// The checksum beside it cannot be parsed.
  case notAChecksum(path: String)
  /// The checksum beside it names another file, and differs.
  case checksumOfAnother(path: String, name: String)
  /// The folder to restore into holds a store.
  case holdsStore(directory: String)
  /// The folder to restore into cannot be used.
  case store(StoreError)
  /// The server stopped, or its own store failed.
  case interrupted

  /// The message for the owner: what happened, then what to do.
  package var userMessage: String {
    switch self {
    case .exists(let path):
      "\(path) is there already, and was not touched. Choose another name."
    case .cannotWrite(let path, let reason):
      "\(path) cannot be written: \(reason). The server writes it, so its user must be allowed to."
    case .full(let path):
      "There is no room for \(path). Free some space, or choose another disk."
    case .cannotRead(let path, let reason):
      "\(path) cannot be read: \(reason). Check the name, and that it belongs to this user."
    case .notABackup(let path):
      "\(path) is no backup of Atrest's. Check the name."
    case .newerVersion(let path, let found, let supported):
      "\(path) was made by a newer version of atrest-syncd (format \(found); this one knows up to "
        + "\(supported)). Install the newer version."
    case .unfinished(let path):
      "\(path) is the database of a server that runs or was killed: part of it is in \(path)-wal. "
        + "Make a backup with: atrest-syncd backup"
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)). It was not changed. Use another backup."
    case .changed(let path):
      "\(path) is damaged: its checksum is not the one in \(BackupChecksum.path(of: path)), so a value in it is not as it was "
        + "written. Use another backup."
    case .notAChecksum(let path):
      "\(path) is damaged: it holds no checksum. Nothing wrong was found with the backup itself. Without that file, a changed byte "
        + "inside a value cannot be seen; take it away to use the backup all the same."
    case .checksumOfAnother(let path, let name):
      "\(path) is the checksum of another file, “\(name)”, so it says nothing about this one. If the backup was renamed, give it "
        + "that name again; else put the right checksum in its place, or take it away to check the backup without."
    case .holdsStore(let directory):
      "\(directory) holds a store already, and was not touched. Move it away first, or choose "
        + "another folder with --data."
    case .store(let error): error.userMessage
    case .interrupted:
      "The server stopped before the backup was complete. Its log says why. Try again."
    }
  }
}
