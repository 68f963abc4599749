// SPDX-License-Identifier: Apache-2.0
// Refuses writes on a nearly full disk, and keeps a reserve for deletions.

import Glibc

/// Watches the free space of a store's folder. Used on the storage queue only.
///
/// Deleting writes, too, and fails on a full disk. So writes are refused at a low-water mark, and a
/// ballast file is removed should the disk fill up all the same.
package final class DiskGuard {
  /// Bytes of the ballast file.
  static let ballastBytes = 4 * 1024 * 1024
  /// Writes are refused below this many free bytes: room for the 32 MiB that a checkpoint may
  /// write, and for what is committed before the next check.
  static let lowWaterBytes: UInt64 = 48 * 1024 * 1024

  private let ballastPath: String
  private let freeBytes: () -> UInt64?
  private var hasBallast = false

  /// - Parameter freeBytes: Free space on the disk; nil if unknown, which refuses nothing.
  package init(directory: String, freeBytes: (() -> UInt64?)? = nil) {
    ballastPath = directory + "/ballast"
    self.freeBytes = freeBytes ?? { Self.freeBytes(of: directory) }
    hasBallast = access(ballastPath, F_OK) == 0
  }

  /// Free bytes of a folder's disk, for users without privileges. Nil if unknown. About 1 us.
  static func freeBytes(of directory: String) -> UInt64? {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return nil }
    return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
      .partialValue
  }

  /// Whether the free space is above the mark. About 1 us.
  func allowsWrites() -> Bool { Self.allowsWrites(freeBytes: freeBytes()) }

  /// - Parameter freeBytes: Nil if unknown, which refuses nothing.
  static func allowsWrites(freeBytes: UInt64?) -> Bool {
    freeBytes.map { $0 >= lowWaterBytes } ?? true
  }

  /// Makes the ballast if there is none and plenty of room. Not before a write that only deletes:
  /// on a disk that is full though it reports free space, that would give up one ballast after
  /// another.
  func renewBallast() {
    guard !hasBallast, let free = freeBytes(),
      free > Self.lowWaterBytes + 4 * UInt64(Self.ballastBytes)
    else { return }
    makeBallast()
  }

  /// Removes the ballast of a disk that is full in spite of the mark.
  ///
  /// - Returns: False if there is none.
  func giveBallastUp() -> Bool {
    hasBallast = false
    return unlink(ballastPath) == 0
  }

  private func makeBallast() {
    hasBallast = true  // A failure is not retried at every commit.
    let file = open(ballastPath, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return }
    _ = posix_fallocate(file, 0, off_t(Self.ballastBytes))
    _ = close(file)
  }
}
