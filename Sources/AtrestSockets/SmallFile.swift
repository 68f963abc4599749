// SPDX-License-Identifier: Apache-2.0
// Reads small files that people name, without waiting and within a bound, and writes notes that are
// their owner's alone.

import Glibc

/// Files whose path or content nobody has checked yet: settings, certificates, a purchase, a note.
public enum SmallFile {
  /// All of a file; nil if it cannot be read, is no file but a folder or a pipe (whose opener would
  /// wait for a writer), or is longer.
  ///
  /// - Parameter limitBytes: The longest file that is read.
  public static func read(_ path: String, limitBytes: Int) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { _ = close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= limitBytes
    else { return nil }
    // One more than allowed: it may have grown since.
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return Array(bytes[..<filled]) }
      filled += count
    }
    return nil
  }

  /// Puts a file that only its owner may read in the place of what was there. What it replaces
  /// stays whole until then. Not made durable: for what can be found out again.
  ///
  /// - Returns: Whether it did.
  @discardableResult
  public static func replace(_ path: String, with bytes: [UInt8]) -> Bool {
    let draft = "\(path).\(UInt64.random(in: 0 ... .max)).new"
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return false }
    var isWhole = true
    var rest = bytes[...]
    while isWhole, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      isWhole = count > 0
      rest = rest.dropFirst(max(count, 0))
    }
    isWhole = close(file) == 0 && isWhole
    guard isWhole, rename(draft, path) == 0 else {
      _ = unlink(draft)
      return false
    }
    return true
  }
}
