// SPDX-License-Identifier: Apache-2.0
// The errors of a store, with the message for its owner.

/// Why a store cannot be opened, or a transaction failed. Never holds contents of a row.
package enum StoreError: Error, Equatable {
  /// Another process has the store open; its id, if known.
  case inUse(directory: String, process: Int32?)
  /// A newer version of this program made the store. It was not touched.
  case newerVersion(path: String, found: Int, supported: Int)
  /// An older version of this program made the store, and it may not be migrated here. It was not
  /// touched.
  case olderVersion(path: String, found: Int, supported: Int)
  /// The store holds an unfinished copy of another one. It was not touched.
  case unfinishedCopy(path: String)
  /// The file or folder holds something else. It was not touched.
  case notAStore(path: String)
  /// The file is damaged, in SQLite's words. It was not overwritten.
  case damaged(path: String, reason: String)
  /// The folder or a file in it cannot be made or opened.
  case cannotOpen(path: String, reason: String)
  /// The disk is full. The transaction was rolled back; reads go on.
  case full
  /// The system failed to read or write. The transaction's outcome is unknown until the store is
  /// opened again.
  case inputOutput(reason: String)
  /// COMMIT returned an error. Its outcome is unknown until the store is opened again.
  case commitUnknown(reason: String)
  /// A statement failed. The transaction was rolled back.
  case failed(reason: String)
  /// The store was closed.
  case closed
  /// The caller hung up first: nothing was done.
  case notAwaited
  /// The database cannot be reached. Nothing was done.
  case unavailable(reason: String)
  /// The rows are locked for too long, or changed by others again and again; or the database has
  /// too much to do. Nothing was done, and the connection is in order.
  case busy(reason: String)
  /// The answer of COMMIT was lost. It may have been done; repeating it finds out.
  case outcomeUnknown(reason: String)
  /// The account is being moved to another cell, or has just been. Nothing was done.
  case moving
  /// The database is another cell than the one it was opened as. It was not touched.
  case wrongCell(found: CellNumber, expected: CellNumber)
  /// The database has accounts on their way from or to other cells, or devices of accounts that
  /// went there, which no copy would know. It was not touched.
  case hasMoves(path: String)
  /// A `StagedTransaction` lacks a row. Its engine loads it: nobody else sees this.
  case notLoaded

  /// Whether the process must end. After an I/O error the open handle may show, and keep, what is
  /// not on disk: only recovery at the next start can be trusted.
  package var isFatal: Bool {
    switch self {
    case .inputOutput, .commitUnknown, .damaged: true
    case .inUse, .newerVersion, .olderVersion, .unfinishedCopy, .notAStore, .cannotOpen, .full,
      .failed, .closed, .notAwaited, .unavailable, .busy, .outcomeUnknown, .moving, .wrongCell,
      .hasMoves, .notLoaded:
      false
    }
  }

  /// The message for the owner: what happened, then what to do.
  package var userMessage: String {
    switch self {
    case .inUse(let directory, let process):
      "Another atrest-syncd\(process.map { " (process \($0))" } ?? "") uses \(directory). "
        + "Stop it first, or choose another folder with --data."
    case .newerVersion(let path, let found, let supported):
      "\(path) was made by a newer version of atrest-syncd (format \(found); this one knows up to "
        + "\(supported)). Nothing was changed. Install the newer version again."
    case .olderVersion(let path, let found, let supported):
      found == 0
        ? "\(path) holds no store yet. Nothing was changed. `atrest-syncd store migrate` makes the "
          + "tables of a database, and `atrest-syncd serve` makes either kind of store."
        : "\(path) was made by an older version of atrest-syncd (format \(found); this one writes "
          + "\(supported)). Nothing was changed. `atrest-syncd store migrate` brings a database up "
          + "to date, and `atrest-syncd serve` either kind of store."
    case .unfinishedCopy(let path):
      "\(path) holds an unfinished copy of another store. Nothing was changed. Go on with the same "
        + "`atrest-syncd store copy`, or begin with an empty store."
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
    case .unavailable(let reason):
      "The database cannot be used at the moment (\(reason)). Nothing was lost. It is tried again; "
        + "check that it runs and takes connections."
    case .busy(let reason):
      "The database is too slow for what is asked of it, or something else holds what is needed "
        + "(\(reason)). Nothing was lost. It is tried again."
    case .outcomeUnknown(let reason):
      "The answer of a COMMIT was lost (\(reason)). It may have happened; devices send again what "
        + "was not confirmed to them."
    case .moving:
      "The account is being moved to another cell. Nothing was done. Try again soon."
    case .wrongCell(let found, let expected):
      "This database is \(Self.words(found)), and was opened as \(Self.words(expected)). Nothing "
        + "was changed. Name each database as what it is: "
        + "`--store postgresql://…` without a number, `--store N=postgresql://…` for cell N."
    case .hasMoves(let path):
      "\(path) is one of several cells, and knows where accounts went or come from. Nothing was "
        + "changed. A copy would lose that: use pg_dump or pg_basebackup, or move its accounts with "
        + "`atrest-syncd account move`."
    case .notLoaded:
      "A row was not loaded. Please report this."
    }
  }

  private static func words(_ cell: CellNumber) -> String {
    cell == .sole ? "a store without a cell's number" : "cell \(cell)"
  }
}
