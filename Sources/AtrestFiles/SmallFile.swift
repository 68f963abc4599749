// SPDX-License-Identifier: Apache-2.0
// Reads small files that people name, without waiting and within a bound, and replaces files that
// are their owner's alone.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files whose path or content nobody has checked yet: settings, keys, a purchase, a note.
package enum SmallFile {
  /// All of a file.
  ///
  /// The only copy of the bytes is the one that is returned: whoever reads a key can wipe it.
  /// - Parameters:
  ///   - limitBytes: The longest file that is read.
  ///   - isPrivate: Whether a file that other users may read is refused.
  ///   - isTrusted: Whether a file that other users may change is refused.
  package static func read(
    _ path: String, limitBytes: Int, isPrivate: Bool = false, isTrusted: Bool = false
  ) throws(SmallFileProblem) -> [UInt8] {
    // Not blocking: opening a pipe would otherwise wait for somebody to write into it.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .system(errno) }
    defer { _ = close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    guard status.st_size <= limitBytes else { throw .tooLong }
    guard !isPrivate || status.st_mode & 0o077 == 0 else { throw .exposed }
    if isTrusted,
      let reason = FileTrust.objection(
        owner: status.st_uid, mode: status.st_mode, to: geteuid())
    {
      throw .untrusted(reason)
    }
    // One more than there was: it may have grown since.
    let capacity = Int(status.st_size) + 1
    var code: CInt = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
      while filled < capacity {
        let count = readSome(file, buffer.baseAddress.map { $0 + filled }, capacity - filled)
        if count < 0, errno == EINTR { continue }
        if count < 0 { code = errno }
        guard count > 0 else { return }
        filled += count
      }
    }
    guard code == 0 else { throw .system(code) }
    guard bytes.count < capacity else { throw .tooLong }
    return bytes
  }

  /// Puts a file that only its owner may read in the place of what was there. What it replaces
  /// stays whole until then. Not made durable: for what can be found out again.
  package static func replace(
    _ path: String, with bytes: [UInt8]
  ) throws(SmallFileProblem) {
    let draft = "\(path).\(UInt64.random(in: 0 ... .max)).new"
    try write(bytes, to: path, draft: draft, isDurable: false)
  }

  /// The same, and when it returns, the file is whole and durable; when it throws, what was there
  /// before still is. Two writers at a time would spoil each other's work.
  package static func store(
    _ bytes: [UInt8], at path: String
  ) throws(SmallFileProblem) {
    let draft = path + ".new"
    // One that a crash left behind. Made anew, so that its mode is ours from the first byte.
    _ = unlink(draft)
    try write(bytes, to: path, draft: draft, isDurable: true)
    let code = syncFolder(of: path)
    guard code == 0 else { throw .system(code) }
  }

  /// Adds to the end of a file that only its owner may read, and makes it if there is none. Durable
  /// when it returns; when it throws, a part may have been added.
  package static func append(_ bytes: [UInt8], to path: String) throws(SmallFileProblem) {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .system(errno) }
    var code = writeAll(bytes, to: file)
    if code == 0, fsync(file) != 0 { code = errno }
    if close(file) != 0, code == 0 { code = errno }
    if code == 0 { code = syncFolder(of: path) }
    guard code == 0 else { throw .system(code) }
  }

  private static func write(
    _ bytes: [UInt8], to path: String, draft: String, isDurable: Bool
  ) throws(SmallFileProblem) {
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .system(errno) }
    var code = writeAll(bytes, to: file)
    if code == 0, isDurable, fsync(file) != 0 { code = errno }
    if close(file) != 0, code == 0 { code = errno }
    if code == 0, rename(draft, path) != 0 { code = errno }
    guard code == 0 else {
      _ = unlink(draft)
      throw .system(code)
    }
  }

  private static func writeAll(_ bytes: [UInt8], to file: CInt) -> CInt {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        writeSome(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
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
}

// Beside the functions of these names above.
func readSome(_ file: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, buffer, count)
}

private func writeSome(_ file: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, buffer, count)
}
