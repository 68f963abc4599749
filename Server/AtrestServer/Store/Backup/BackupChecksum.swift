// SPDX-License-Identifier: Apache-2.0
// The checksum file beside a backup.

import AtrestCrypto
import AtrestReplication
import Glibc

/// The SHA-256 of a backup, in a file of its own beside it that `sha256sum -c` reads.
///
/// SQLite keeps no checksums of pages: without this, a changed byte in a value goes unnoticed.
package struct BackupChecksum: Equatable {
  /// SHA-256, as 64 hexadecimal digits.
  package let digits: String
  /// The name of the file that it belongs to, without its folder.
  package let name: String

  /// The path of a file's checksum.
  static func path(of file: String) -> String { file + ".sha256" }

  /// More than the longest name of a file takes, each byte escaped.
  private static let limitBytes = 1024
  /// Bytes of the longest name that a file can have.
  private static let nameLimitBytes = 255

  /// Computes a file's checksum, under the name that the file will have.
  static func compute(_ path: String, named name: String) throws(BackupError) -> BackupChecksum {
    let (file, _) = try FileCopy.openToRead(path)
    defer { _ = close(file) }
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = try FileCopy.readMore(file, into: &buffer, path)
      guard count > 0 else { break }
      hash.update(buffer[..<count])
    }
    let name = name.split(separator: "/").last.map(String.init) ?? name
    return BackupChecksum(digits: Hexadecimal.encoded(hash.finalized()), name: name)
  }

  /// The checksum beside a file; nil if there is none.
  static func beside(_ file: String) throws(BackupError) -> BackupChecksum? {
    let path = path(of: file)
    var status = stat()
    guard stat(path, &status) == 0 || errno != ENOENT else { return nil }
    let (descriptor, _) = try FileCopy.openToRead(path)
    defer { _ = close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: limitBytes + 1)
    while bytes.count <= limitBytes {
      let count = try FileCopy.readMore(descriptor, into: &buffer, path)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    guard let checksum = BackupChecksum(line: bytes) else { throw .notAChecksum(path: path) }
    return checksum
  }

  /// Compares a file with the checksum beside it.
  ///
  /// - Returns: False if there is none.
  static func check(_ file: String) throws(BackupError) -> Bool {
    guard let known = try beside(file) else { return false }
    let found = try compute(file, named: file)
    guard found.digits != known.digits else { return true }
    throw .changed(path: file)
  }

  /// Checks that the checksum beside a file is not another file's. One that fits is its own,
  /// whatever name it has: both were renamed.
  ///
  /// - Throws: `BackupError.checksumOfAnother`.
  static func expectOwn(_ file: String) throws(BackupError) {
    guard let known = try? beside(file) else { return }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    guard known.name != name, try compute(file, named: file).digits != known.digits else { return }
    throw .checksumOfAnother(path: path(of: file), name: known.name)
  }

  init(digits: String, name: String) {
    self.digits = digits
    self.name = name
  }

  /// Parses a line of `sha256sum`, for text or binary; nil for anything else.
  package init?(line bytes: [UInt8]) {
    var rest = bytes[...]
    if rest.last == UInt8(ascii: "\n") { rest.removeLast() }
    let isEscaped = rest.first == UInt8(ascii: "\\")
    if isEscaped { rest.removeFirst() }
    guard rest.count > 66, rest.count <= Self.limitBytes,
      let octets = Hexadecimal.decoded(rest.prefix(64))
    else { return nil }
    rest.removeFirst(64)
    guard rest.popFirst() == UInt8(ascii: " "), let mode = rest.popFirst(),
      mode == UInt8(ascii: " ") || mode == UInt8(ascii: "*"), !rest.contains(UInt8(ascii: "\n")),
      let name = String(validating: isEscaped ? Self.unescaped(rest) : Array(rest), as: UTF8.self),
      name.utf8.count <= Self.nameLimitBytes
    else { return nil }
    digits = Hexadecimal.encoded(octets)
    self.name = name
  }

  /// The line that `sha256sum` writes, newline included.
  package var line: [UInt8] {
    var isEscaped = false
    var text: [UInt8] = []
    for byte in name.utf8 {
      guard let letter = Self.escapes.first(where: { $0.byte == byte })?.letter else {
        text.append(byte)
        continue
      }
      isEscaped = true
      text += [UInt8(ascii: "\\"), letter]
    }
    return Array((isEscaped ? "\\" : "").utf8) + Array("\(digits)  ".utf8) + text
      + [UInt8(ascii: "\n")]
  }

  /// A line whose name has one of these begins with a backslash.
  private static let escapes = [
    (byte: UInt8(ascii: "\\"), letter: UInt8(ascii: "\\")),
    (byte: UInt8(ascii: "\n"), letter: UInt8(ascii: "n")),
    (byte: UInt8(ascii: "\r"), letter: UInt8(ascii: "r")),
  ]

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"),
        let known = escapes.first(where: { $0.letter == rest.first })
      else {
        text.append(byte)
        continue
      }
      text.append(known.byte)
      rest.removeFirst()
    }
    return text
  }
}
