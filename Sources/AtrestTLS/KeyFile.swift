// SPDX-License-Identifier: Apache-2.0
// Reads and stores files of keys, and says what is wrong with one in a sentence.

import AtrestFiles
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
    do throws(SmallFileProblem) {
      return try SmallFile.read(path, limitBytes: Self.limitBytes, isPrivate: isPrivate)
    } catch {
      switch error {
      case .exposed: throw .exposed(path: path)
      case .notAFile, .tooLong:
        throw .unreadable(path: path, reason: "it is not a file of less than 1 MiB")
      case .system: throw .unreadable(path: path, reason: error.reason)
      }
    }
  }

  var exists: Bool {
    var status = stat()
    return lstat(path, &status) == 0 || errno != ENOENT
  }

  /// Writes the file with mode 0600. When it returns, the file is whole and durable; when it
  /// throws, what was there before still is. Two writers at a time would spoil each other's work.
  func write(_ bytes: [UInt8]) throws(TLSFileError) {
    do throws(SmallFileProblem) { try SmallFile.store(bytes, at: path) } catch {
      throw .unwritable(path: path, reason: error.reason)
    }
  }

  /// Overwrites bytes that held a key; an ordinary assignment could be optimised away.
  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
