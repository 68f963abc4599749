// SPDX-License-Identifier: Apache-2.0
// Decides when the disk is too full to write, and keeps a reserve for that day.

import Glibc

/// Watches the free space of a store's folder. Used on the storage queue only.
///
/// A full disk makes even deleting fail, because deleting writes too. So writes are refused while
/// there is still some room, and a file of ballast is there to be removed should the disk fill up
/// all the same.
package final class DiskGuard {
  /// Bytes of the ballast file.
  static let ballastBytes = 4 * 1024 * 1024
  /// Writes are refused below this many free bytes: room for the 32 MiB that a checkpoint may move
  /// out of the log, and for what is committed before the next look.
  static let lowWaterBytes: UInt64 = 48 * 1024 * 1024

  private let ballastPath: String
  private let freeBytes: () -> UInt64?
  private var hasBallast = false

  /// - Parameter freeBytes: Room on the disk; nil if that cannot be told, which refuses nothing.
  package init(directory: String, freeBytes: (() -> UInt64?)? = nil) {
    ballastPath = directory + "/ballast"
    self.freeBytes =
      freeBytes ?? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
          .partialValue
      }
    hasBallast = access(ballastPath, F_OK) == 0
  }

  /// Whether there is room to write. About 1 us.
  func allowsWrites() -> Bool {
    freeBytes().map { $0 >= Self.lowWaterBytes } ?? true
  }

  /// Makes the ballast anew if there is none, and plenty of room. Not before a write that only
  /// takes something away: where the disk says that it has room and is full all the same, that
  /// would give up one ballast after the other.
  func renewBallast() {
    guard !hasBallast, let free = freeBytes(),
      free > Self.lowWaterBytes + 4 * UInt64(Self.ballastBytes)
    else { return }
    makeBallast()
  }

  /// The disk is full although the watermark was kept: gives the ballast up. False if there is
  /// none.
  func giveBallastUp() -> Bool {
    hasBallast = false
    return unlink(ballastPath) == 0
  }

  private func makeBallast() {
    hasBallast = true  // Not tried again at every commit, should it fail.
    let file = open(ballastPath, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return }
    _ = posix_fallocate(file, 0, off_t(Self.ballastBytes))
    _ = close(file)
  }
}
