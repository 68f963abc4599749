// SPDX-License-Identifier: Apache-2.0
// Makes an online backup: copies between commits, verifies on a queue of its own, and renames the
// copy last.

import Dispatch
import Glibc
import Synchronization

/// One backup. Thread-safe.
final class BackupTask: @unchecked Sendable {
  // Sendable because only the storage queue touches `backup`, and the rest never changes.
  private let path: String
  private let partial: String
  private var partialChecksum: String { BackupChecksum.path(of: path) + ".partial" }
  private let done: @Sendable (Result<StoreCopy, BackupError>) -> Void
  private var backup: (any StoreBackup)?

  /// - Parameters:
  ///   - path: Absolute. The copy is made beside it, under a name of its own.
  ///   - done: Called once.
  init(to path: String, done: @escaping @Sendable (Result<StoreCopy, BackupError>) -> Void) {
    self.path = path
    partial = path + ".partial"
    self.done = done
  }

  /// Begins.
  func start(on queue: CommitQueue) {
    queue.interleave { store in self.step(store) }
  }

  private func step(_ store: (any SyncStore)?) -> Bool {
    do throws(BackupError) {
      guard let store else { throw .interrupted }
      if backup == nil { backup = try begin(store) }
      guard try copyMore() else { return true }
      backup = nil
      // Verifying takes as long as copying: not on the queue that commits wait for.
      DispatchQueue.global(qos: .utility).async { self.finish() }
    } catch {
      backup = nil
      fail(error)
    }
    return false
  }

  private func begin(_ store: any SyncStore) throws(BackupError) -> any StoreBackup {
    var status = stat()
    guard lstat(path, &status) != 0 else { throw .exists(path: path) }
    // The checksum of a backup that was removed may be replaced, and nothing else.
    let checksum = BackupChecksum.path(of: path)
    guard lstat(checksum, &status) != 0 || (try? BackupChecksum.beside(path)) != nil else {
      throw .exists(path: checksum)
    }
    _ = close(try FileCopy.create(partial))
    do throws(StoreError) { return try store.beginBackup(to: partial) } catch {
      throw backupError(error)
    }
  }

  private func copyMore() throws(BackupError) -> Bool {
    do throws(StoreError) { return try backup?.step() ?? true } catch { throw backupError(error) }
  }

  private func backupError(_ error: StoreError) -> BackupError {
    switch error {
    case .full: .full(path: partial)
    case .cannotOpen(let path, let reason): .cannotWrite(path: path, reason: reason)
    default: .interrupted
    }
  }

  private func finish() {
    do throws(BackupError) {
      let checksum = try BackupChecksum.compute(partial, named: path)
      let copy = try StoreCopy.check(partial)
      try FileCopy.make(partialChecksum, of: checksum.line)
      // First: a backup under its name has its checksum.
      try FileCopy.publish(partialChecksum, as: BackupChecksum.path(of: path))
      try FileCopy.publish(partial, as: path)
      done(.success(copy))
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: BackupError) {
    if case .exists = error {
    } else {
      _ = unlink(partial)
      _ = unlink(partialChecksum)
    }
    done(.failure(error))
  }
}
