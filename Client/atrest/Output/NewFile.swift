// SPDX-License-Identifier: Apache-2.0
// Writes a file that people keep: whole or not at all, readable by its owner only, never over another by accident.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file written at once.
enum NewFile {
  /// Writes a file. Whoever opens it sees all of it or what was there before, also after a loss of power.
  ///
  /// - Parameter replacing: Whether a file of that name may go. Otherwise one that appears meanwhile stays, too.
  /// - Throws: `Failure.Thrown`; then nothing is left behind.
  static func write(_ bytes: [UInt8], to path: String, replacing: Bool) throws {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR else {
        throw Failure.Thrown("\(Foreign.text(path)) is a folder. Name a file.")
      }
      guard replacing else { throw exists(path) }
    }
    // Beside its place: a name is exchanged only within a file system.
    let draft = folder + "/.atrest-export-\(UUID().uuidString.lowercased())"
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failed(path, errno) }
    var isPlaced = false
    defer { if !isPlaced { unlink(draft) } }
    do {
      defer { close(file) }
      try fill(file, bytes, path)
      guard fsync(file) == 0 else { throw failed(path, errno) }
    }
    if replacing {
      guard rename(draft, path) == 0 else { throw failed(path, errno) }
      isPlaced = true
    } else {
      // A second name for the draft cannot take the place of anything; a new one could.
      guard link(draft, path) == 0 else {
        if errno == EEXIST { throw exists(path) }
        try placeWithoutLinks(draft, path)
        isPlaced = true
        return
      }
    }
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      // Not every file system can; the file itself is safe.
      _ = fsync(directory)
      close(directory)
    }
  }

  /// For file systems without second names, as on memory cards.
  private static func placeWithoutLinks(_ draft: String, _ path: String) throws {
    var status = stat()
    guard lstat(path, &status) != 0 else { throw exists(path) }
    guard rename(draft, path) == 0 else { throw failed(path, errno) }
  }

  private static func fill(_ file: Int32, _ bytes: [UInt8], _ path: String) throws {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        #if canImport(Darwin)
          Darwin.write(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
        #elseif canImport(Musl)
          Musl.write(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
        #else
          Glibc.write(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failed(path, count < 0 ? errno : ENOSPC) }
      written += count
    }
  }

  private static func exists(_ path: String) -> Failure.Thrown {
    Failure.Thrown(
      "\(Foreign.text(path)) is there already and was left alone. Choose another name, or say "
        + "`--force`.")
  }

  private static func failed(_ path: String, _ problem: Int32) -> Failure.Thrown {
    Failure.Thrown(
      "\(Foreign.text(path)) could not be written (\(String(cString: strerror(problem)))). "
        + "Nothing was left behind.",
      [ENOSPC, EDQUOT, EIO].contains(problem) ? Failure.disk : Failure.data)
  }
}
