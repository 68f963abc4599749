// SPDX-License-Identifier: Apache-2.0
// Restores a backup into a folder without a store.

import Glibc

/// Restoring backups.
package enum Restore {
  /// Verifies a backup and copies it into a folder, which is made if need be. A failure leaves
  /// nothing behind.
  ///
  /// The store need not know that it was restored: devices show commits that it does not have.
  ///
  /// - Returns: What was restored.
  package static func run(
    from path: String, into directory: String
  ) throws(BackupError) -> StoreCopy {
    let copy = try StoreCopy.check(path)
    let folder: DataDirectory
    do throws(StoreError) { folder = try DataDirectory(path: directory) } catch {
      throw .store(error)
    }
    defer { folder.unlock() }
    guard access(folder.databasePath, F_OK) != 0 else { throw .holdsStore(directory: directory) }
    let partial = folder.databasePath + ".partial"
    do throws(BackupError) {
      try FileCopy.copy(path, to: partial)
      try FileCopy.publish(partial, as: folder.databasePath)
    } catch {
      _ = unlink(partial)
      throw error
    }
    return copy
  }
}

/// Files that exist complete or not at all.
enum FileCopy {
  /// Makes an empty file that only its owner can read, in place of an earlier attempt's.
  static func create(_ path: String) throws(BackupError) -> CInt {
    _ = unlink(path)
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(path) }
    return file
  }

  /// Opens a regular file: opening a pipe would wait for a writer.
  ///
  /// - Returns: A descriptor that the caller closes, and the file's size in bytes.
  static func openToRead(
    _ path: String
  ) throws(BackupError) -> (descriptor: CInt, sizeBytes: Int) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .cannotRead(path: path, reason: systemReason(errno)) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      _ = close(file)
      throw .cannotRead(path: path, reason: "it is not a file")
    }
    return (file, Int(status.st_size))
  }

  /// Copies a file.
  static func copy(_ path: String, to target: String) throws(BackupError) {
    let (source, _) = try openToRead(path)
    defer { _ = close(source) }
    let file = try create(target)
    defer { _ = close(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = try readMore(source, into: &buffer, path)
      guard count > 0 else { return }
      try append(buffer[..<count], to: file, target)
    }
  }

  /// Writes bytes to a file, neither durable nor under its final name yet: see `publish`.
  static func make(_ path: String, of bytes: [UInt8]) throws(BackupError) {
    let file = try create(path)
    defer { _ = close(file) }
    try append(bytes[...], to: file, path)
  }

  /// Reads the next bytes; 0 at the end.
  static func readMore(
    _ file: CInt, into buffer: inout [UInt8], _ path: String
  ) throws(BackupError) -> Int {
    while true {
      let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .cannotRead(path: path, reason: systemReason(errno)) }
      return count
    }
  }

  private static func append(
    _ bytes: ArraySlice<UInt8>, to file: CInt, _ path: String
  ) throws(BackupError) {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw failure(path) }
      rest = rest.dropFirst(written)
    }
  }

  /// Syncs a complete file, and gives it its final name.
  static func publish(_ partial: String, as path: String) throws(BackupError) {
    try sync(partial, O_RDWR)
    guard rename(partial, path) == 0 else { throw failure(path) }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    try sync(folder.isEmpty ? "/" : folder, O_RDONLY)
  }

  private static func sync(_ path: String, _ mode: CInt) throws(BackupError) {
    let file = open(path, mode | O_CLOEXEC)
    guard file >= 0 else { throw failure(path) }
    defer { _ = close(file) }
    // Some file systems cannot sync a folder, and say so.
    guard fsync(file) == 0 || (mode == O_RDONLY && errno == EINVAL) else { throw failure(path) }
  }

  private static func failure(_ path: String) -> BackupError {
    errno == ENOSPC || errno == EDQUOT
      ? .full(path: path) : .cannotWrite(path: path, reason: systemReason(errno))
  }
}
