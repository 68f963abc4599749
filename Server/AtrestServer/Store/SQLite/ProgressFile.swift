// SPDX-License-Identifier: Apache-2.0
// Counts a store's commits beside it, so that the next start can tell its owner that some are lost.

import AtrestCrypto
import Glibc

/// The file `progress`: the store's name, the number of transactions that wrote, and a checksum.
///
/// Written after each commit and never synced. Devices notice lost commits by their names and offer
/// the records again, whatever this file says; it only tells the owner sooner. So a missing or
/// damaged one is no error. Used on the storage queue only.
final class ProgressFile {
  private static let magic = Array("AtrProg1".utf8)
  private static let sizeBytes = 32
  private var descriptor: CInt

  init(path: String) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
  }

  deinit {
    close()
  }

  /// The number of transactions of the store that wrote; nil if unknown.
  func writes(ofStore name: UInt64) -> UInt64? {
    var bytes = [UInt8](repeating: 0, count: Self.sizeBytes + 1)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count == Self.sizeBytes else { return nil }
    let writes = bytes[16..<24].reduce(0) { $0 << 8 | UInt64($1) }
    return Array(bytes.dropLast()) == Self.content(name, writes) ? writes : nil
  }

  /// Records that number. About 2 us.
  func note(writes: UInt64, ofStore name: UInt64) {
    _ = Self.content(name, writes).withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, $0.count, 0)
    }
  }

  /// Idempotent.
  func close() {
    guard descriptor >= 0 else { return }
    _ = Glibc.close(descriptor)
    descriptor = -1
  }

  private static func content(_ name: UInt64, _ writes: UInt64) -> [UInt8] {
    var bytes = magic
    for number in [name, writes] {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes + SHA256.hash(bytes).prefix(8)
  }
}
