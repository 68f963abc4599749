// SPDX-License-Identifier: Apache-2.0
// Writes a file of one's own piece by piece: whole under its name, or not there at all.

import AtrestCommandLine
import AtrestDomain
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that only its owner reads, or standard output. Not for use by several threads at a time.
///
/// Whoever opens it sees all of it or what was there before, also after a loss of power.
final class ExportFile {
  private let path: String?
  private let draft: String
  private let hint: String?
  private var descriptor: CInt
  private var buffer: [UInt8] = []

  /// Bytes that are kept back at most, to be written together.
  private static let bufferBytes = 65_536

  /// - Parameters:
  ///   - path: Nil: standard output.
  ///   - replacing: Whether a file of that name may go. Otherwise one that appears meanwhile stays,
  ///     too.
  ///   - hint: What else can be done where there is a file already.
  /// - Throws: `CommandFailure`.
  init(_ path: String?, replacing: Bool = false, hint: String = "move it away") throws {
    self.path = path
    guard let path else {
      self.hint = nil
      (draft, descriptor) = ("", STDOUT_FILENO)
      return
    }
    self.hint = replacing ? nil : hint
    guard !path.isEmpty else {
      throw CommandFailure("That is no name for a file. Name one, or `-` for standard output.")
    }
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR else {
        throw CommandFailure("\(path.escapedForTerminal) is a folder. Name a file.")
      }
      guard replacing else { throw ExportFile.exists(path, hint) }
    }
    // Beside its place: a name is exchanged only within a file system.
    draft = "\(path).part-\(UUID().uuidString.prefix(8))"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
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

  /// Writes on.
  func write(_ bytes: [UInt8]) throws {
    buffer += bytes
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// What was written is whole: it is on the disk, under its name. Nothing is written after this.
  func finish() throws {
    try flush()
    guard let path else { return }
    guard fsync(descriptor) == 0 else { throw Self.failure(errno, path) }
    close(descriptor)
    descriptor = -1
    // Gone already where the draft took its place.
    defer { unlink(draft) }
    try place(at: path)
    let folder = open(
      URL(fileURLWithPath: path).deletingLastPathComponent().path,
      O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    // Not every file system can; the file itself is safe.
    _ = fsync(folder)
    close(folder)
  }

  private func place(at path: String) throws {
    if let hint {
      // A second name for the draft cannot take the place of anything; a new one could.
      if link(draft, path) == 0 { return }
      if errno == EEXIST { throw Self.exists(path, hint) }
      // A file system without second names, as on a memory card.
      var status = stat()
      guard lstat(path, &status) != 0 else { throw Self.exists(path, hint) }
    }
    guard rename(draft, path) == 0 else { throw Self.failure(errno, path) }
  }

  private func flush() throws {
    let problem = StandardStream.write(buffer, to: descriptor)
    guard problem == 0 else { throw Self.failure(problem, path ?? "standard output") }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func exists(_ path: String, _ hint: String) -> CommandFailure {
    CommandFailure(
      "\(path.escapedForTerminal) is there already and was left alone. Choose another name, or \(hint)."
    )
  }

  private static func failure(_ problem: CInt, _ path: String) -> CommandFailure {
    CommandFailure(
      "\(path.escapedForTerminal) could not be written: \(String(cString: strerror(problem))). Nothing is left of it; "
        + "choose another place.", .inputOutput)
  }
}
