// SPDX-License-Identifier: Apache-2.0
// The folder of a store: readable by its owner only, locked for one process.

import AtrestFiles
import Glibc
import Synchronization

/// A store's folder, locked for this process until `unlock` or the end of the process.
final class DataDirectory: Sendable {
  let path: String
  /// The open lock file; -1 after `unlock`.
  private let lock: Atomic<CInt>

  var databasePath: String { path + "/atrest.db" }
  var progressPath: String { path + "/progress" }
  var ballastPath: String { path + "/ballast" }
  /// See `WithdrawnList`.
  var withdrawnPath: String { path + "/withdrawn" }
  /// Exists while erasure is owed.
  private var erasurePath: String { path + "/erasure-owed" }

  /// Makes the folder if need be and locks it.
  ///
  /// A folder that others can read is closed to them if it is empty or already a store's; any other
  /// is left alone.
  ///
  /// - Throws: `StoreError.inUse`, `.notAStore` or `.cannotOpen`.
  init(path: String) throws(StoreError) {
    self.path = path
    try Self.prepare(path)
    let lockPath = path + "/lock"
    let file = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    lock = Atomic(-1)
    guard file >= 0 else { throw .cannotOpen(path: lockPath, reason: systemReason(errno)) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      let holder = Self.readProcess(file)
      _ = close(file)
      guard code == EWOULDBLOCK else {
        throw .cannotOpen(path: lockPath, reason: systemReason(code))
      }
      throw .inUse(directory: path, process: holder)
    }
    // For people and for the error above. The kernel holds the lock: a stale number harms nobody.
    let text = Array("\(getpid())\n".utf8)
    _ = ftruncate(file, 0)
    _ = text.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    lock.store(file, ordering: .releasing)
  }

  deinit {
    unlock()
  }

  /// Releases the lock. Idempotent.
  func unlock() {
    let file = lock.exchange(-1, ordering: .acquiringAndReleasing)
    guard file >= 0 else { return }
    _ = ftruncate(file, 0)
    // Closing alone is not enough: a program that this process just forked has the descriptor, too,
    // until it runs.
    _ = flock(file, LOCK_UN)
    _ = close(file)
  }

  /// Whether a file may still hold something that was removed.
  var owesErasure: Bool { access(erasurePath, F_OK) == 0 }

  /// Records whether erasure is owed, as an empty file: a full disk has room for a name at most. If
  /// it has none, erasure is tried once only.
  func noteErasure(isOwed: Bool) {
    guard isOwed else {
      _ = unlink(erasurePath)
      return
    }
    let file = open(erasurePath, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return }
    _ = close(file)
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    _ = fsync(folder)
    _ = close(folder)
  }

  private static func prepare(_ path: String) throws(StoreError) {
    makeParents(of: path)
    if mkdir(path, 0o700) == 0 { return }
    guard errno == EEXIST else { throw .cannotOpen(path: path, reason: systemReason(errno)) }
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw .cannotOpen(path: path, reason: systemReason(errno))
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw .cannotOpen(path: path, reason: "it is not a folder")
    }
    // Otherwise nothing can be said of what is in it.
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      throw .cannotOpen(path: path, reason: systemReason(errno))
    }
    let isStore = access(path + "/atrest.db", F_OK) == 0
    guard isStore || holdsNothingForeign(path) else { throw .notAStore(path: path) }
    // A new volume is often open to all: it is empty, and closed below.
    let trusted = isStore ? status.st_mode : status.st_mode & ~0o002
    if let reason = FileTrust.objection(owner: status.st_uid, mode: trusted, to: geteuid()) {
      throw .cannotOpen(path: path, reason: reason)
    }
    guard status.st_mode & 0o077 != 0 else { return }
    guard chmod(path, 0o700) == 0 else {
      throw .cannotOpen(path: path, reason: systemReason(errno))
    }
  }

  /// Makes missing parents. A failure shows in `prepare`, with a message.
  private static func makeParents(of path: String) {
    var prefix = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/").dropLast() {
      prefix += part + "/"
      _ = mkdir(prefix, 0o700)
    }
  }

  /// Whether a folder is empty but for what an interrupted first start or a fresh volume leaves.
  private static func holdsNothingForeign(_ path: String) -> Bool {
    guard let directory = opendir(path) else { return false }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard
        [
          ".", "..", "lock", "ballast", "progress", "erasure-owed", "atrest.db.partial",
          "admin.sock", "identity.pem",
          "withdrawn",
          "lost+found",
        ]
        .contains(name)
      else {
        return false
      }
    }
    return true
  }

  private static func readProcess(_ descriptor: CInt) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self))
  }
}

/// The system's message for an `errno`.
func systemReason(_ code: CInt) -> String {
  var buffer = [CChar](repeating: 0, count: 128)
  guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
  return String(
    decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
