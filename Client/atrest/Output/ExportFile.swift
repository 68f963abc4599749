// SPDX-License-Identifier: Apache-2.0
// Writes a file of one's own piece by piece: whole under its name, or not there at all.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that only its owner reads, or standard output. Not for use by several threads at a time.
final class ExportFile {
  private let path: String?
  private let draft: String
  private var descriptor: CInt
  private var buffer: [UInt8] = []

  /// Bytes that are kept back at most, to be written together.
  private static let bufferBytes = 65_536

  /// - Parameter path: Where nothing is yet; nil: standard output.
  /// - Throws: `Failure.Thrown`.
  init(_ path: String?) throws {
    self.path = path
    guard let path else {
      (draft, descriptor) = ("", STDOUT_FILENO)
      return
    }
    draft = "\(path).part-\(UUID().uuidString.prefix(8))"
    var status = stat()
    guard lstat(path, &status) != 0 else {
      throw Failure.Thrown(
        "There is a file \(Foreign.text(path)) already. Choose another name, or move it away.")
    }
    descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(errno, path) }
  }

  deinit {
    guard path != nil, descriptor >= 0 else { return }
    close(descriptor)
    unlink(draft)
  }

  /// Writes on.
  func write(_ text: String) throws {
    buffer += text.utf8
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// What was written is whole: it is on the disk, under its name. Nothing is written after this.
  func finish() throws {
    try flush()
    guard let path else { return }
    guard fsync(descriptor) == 0 else { throw Self.failure(errno, path) }
    close(descriptor)
    descriptor = -1
    guard rename(draft, path) == 0 else {
      let problem = errno
      unlink(draft)
      throw Self.failure(problem, path)
    }
    let folder = open(
      URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private func flush() throws {
    var rest = buffer[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
        let count = rest.withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
      #elseif canImport(Musl)
        let count = rest.withUnsafeBytes { Musl.write(descriptor, $0.baseAddress, $0.count) }
      #else
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      #endif
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(errno, path ?? "standard output") }
      rest = rest.dropFirst(count)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func failure(_ problem: CInt, _ path: String) -> Failure.Thrown {
    Failure.Thrown(
      "\(Foreign.text(path)) could not be written: \(String(cString: strerror(problem))). Nothing is left of it; "
        + "choose another place.", Failure.disk)
  }
}
