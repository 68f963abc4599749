// SPDX-License-Identifier: Apache-2.0
// Reads files of keys with a bound, and writes them so that a crash leaves a whole file or none.

import CAtrestOpenSSL
import Glibc

/// A file that holds keys or certificates.
struct KeyFile {
  /// Real chains take some 10 KiB; whole lists of authorities about 250 KiB.
  static let limitBytes = 1 << 20

  let path: String

  /// The file's bytes.
  /// - Parameter isPrivate: Whether a file that other users may read is refused.
  func read(isPrivate: Bool = false) throws(TLSFileError) -> [UInt8] {
    // Not blocking: opening a pipe would otherwise wait for somebody to write into it.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .unreadable(path: path, reason: Self.text(errno)) }
    defer { _ = close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw .unreadable(path: path, reason: Self.text(errno))
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.limitBytes else {
      throw .unreadable(path: path, reason: "it is not a file of less than 1 MiB")
    }
    if isPrivate, status.st_mode & 0o077 != 0 { throw .exposed(path: path) }
    var bytes = [UInt8](repeating: 0, count: Self.limitBytes)
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(path: path, reason: Self.text(errno)) }
      if count == 0 { break }
      filled += count
    }
    defer { Self.wipe(&bytes) }
    return Array(bytes[..<filled])
  }

  var exists: Bool {
    var status = stat()
    return lstat(path, &status) == 0 || errno != ENOENT
  }

  /// Writes the file with mode 0600. When it returns, the file is whole and durable; when it
  /// throws, what was there before still is. Two writers at a time would spoil each other's work.
  func write(_ bytes: [UInt8]) throws(TLSFileError) {
    let partial = path + ".new"
    func failure(_ code: CInt) -> TLSFileError {
      .unwritable(path: path, reason: Self.text(code))
    }
    // One that a crash left behind. Made anew, so that its mode is ours from the first byte.
    _ = unlink(partial)
    let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(errno) }
    var code = Self.writeAll(bytes, to: file)
    if code == 0, fsync(file) != 0 { code = errno }
    if close(file) != 0, code == 0 { code = errno }
    if code == 0, rename(partial, path) != 0 { code = errno }
    guard code == 0 else {
      _ = unlink(partial)
      throw failure(code)
    }
    code = Self.syncFolder(of: path)
    guard code == 0 else { throw failure(code) }
  }

  /// Overwrites bytes that held a key; an ordinary assignment could be optimised away.
  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }

  private static func writeAll(_ bytes: [UInt8], to file: CInt) -> CInt {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      written += count
    }
    return 0
  }

  /// The new name lies in the folder: without this a power cut could take it back.
  private static func syncFolder(of path: String) -> CInt {
    let end = path.lastIndex(of: "/")
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { _ = close(descriptor) }
    // Some file systems cannot do this with a folder, and say EINVAL.
    return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
  }

  private static func text(_ code: CInt) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
