// SPDX-License-Identifier: Apache-2.0
// Writes a private file incrementally and publishes it atomically.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that only its owner can read, or standard output. Not thread-safe.
///
/// A reader sees either the complete file or the previous one, also after a power failure.
public final class ExportFile {
  private let path: String?
  private let draft: String
  private let hint: String?
  private var descriptor: CInt
  private var buffer: [UInt8] = []

  /// The size of the write buffer in bytes.
  private static let bufferBytes = 65_536

  /// Opens a draft beside the file, or standard output.
  ///
  /// - Parameters:
  ///   - path: nil for standard output.
  ///   - replacing: Whether an existing file may be replaced. Otherwise even one created meanwhile
  ///     stays. What is not a file always stays: folders, links, devices and pipes.
  ///   - hint: What else the person can do if the file exists.
  /// - Throws: `CommandFailure`, as do the other methods.
  public init(_ path: String?, replacing: Bool = false, hint: String = "move it away") throws {
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
    if try Self.isThere(path), !replacing { throw ExportFile.exists(path, hint) }
    // In the same directory, because a rename cannot cross file systems.
    draft = "\(path).part-\(UUID().uuidString.prefix(8))"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(errno, path) }
  }

  deinit {
    guard path != nil, descriptor >= 0 else { return }
    close(descriptor)
    unlink(draft)
  }

  /// Appends text to what is not yet published.
  public func write(_ text: String) throws {
    buffer += text.utf8
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// Appends bytes to what is not yet published.
  public func write(_ bytes: [UInt8]) throws {
    buffer += bytes
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// Flushes and syncs the file and publishes it under its name. Nothing may be written after this.
  public func finish() throws {
    try flush()
    guard let path else { return }
    guard fsync(descriptor) == 0 else { throw Self.failure(errno, path) }
    close(descriptor)
    descriptor = -1
    // Already gone if the draft was renamed.
    defer { unlink(draft) }
    try place(at: path)
    let folder = open(
      URL(fileURLWithPath: path).deletingLastPathComponent().path,
      O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    // Not every file system can sync a directory; the file itself is durable.
    _ = fsync(folder)
    close(folder)
  }

  /// Whether there is a file. A rename would replace whatever has the name, so anything else is
  /// refused: folders, pipes, devices, and links, of which one may not know where they lead.
  private static func isThere(_ path: String) throws -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    let name = path.escapedForTerminal
    switch status.st_mode & S_IFMT {
    case S_IFREG: return true
    case S_IFDIR: throw CommandFailure("\(name) is a folder. Name a file.")
    case S_IFLNK:
      throw CommandFailure(
        "\(name) is a link and was left alone. Name the file that it leads to.")
    default:
      throw CommandFailure(
        "\(name) is a device or a pipe, and was left alone. Name a file, or `-` for standard output."
      )
    }
  }

  private func place(at path: String) throws {
    if let hint {
      // A link never replaces an existing file; a rename could.
      if link(draft, path) == 0 { return }
      if errno == EEXIST { throw Self.exists(path, hint) }
      // A file system without hard links, such as a memory card's.
      guard try !Self.isThere(path) else { throw Self.exists(path, hint) }
    }
    _ = try Self.isThere(path)
    guard rename(draft, path) == 0 else { throw Self.failure(errno, path) }
  }

  private func flush() throws {
    defer { buffer.removeAll(keepingCapacity: true) }
    guard let path else { return Terminal.write(buffer) }
    let problem = StandardStream.write(buffer, to: descriptor)
    guard problem == 0 else { throw Self.failure(problem, path) }
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
