// SPDX-License-Identifier: Apache-2.0
// Reads and writes key and certificate files, with errors for the user.

import AtrestFiles
import CAtrestOpenSSL
import Glibc

/// A file with keys or certificates.
struct KeyFile {
  /// Maximum file size in bytes. Real chains take some 10 KiB; CA bundles about 250 KiB.
  static let limitBytes = 1 << 20

  let path: String

  /// Reads the file.
  /// - Parameter isPrivate: Whether to refuse a file that other users may read.
  func read(isPrivate: Bool = false) throws(TLSFileError) -> [UInt8] {
    do throws(SmallFileProblem) {
      return try SmallFile.read(path, limitBytes: Self.limitBytes, isPrivate: isPrivate)
    } catch {
      switch error {
      case .exposed: throw .exposed(path: path)
      case .notAFile, .tooLong:
        throw .unreadable(path: path, reason: "it is not a file of less than 1 MiB")
      case .system, .untrusted: throw .unreadable(path: path, reason: error.reason)
      }
    }
  }

  var exists: Bool {
    var status = stat()
    return lstat(path, &status) == 0 || errno != ENOENT
  }

  /// Writes the file atomically with mode 0600. It is durable on return; on a throw the old file is
  /// unchanged. Not safe for concurrent writers.
  func write(_ bytes: [UInt8]) throws(TLSFileError) {
    do throws(SmallFileProblem) { try SmallFile.store(bytes, at: path) } catch {
      throw .unwritable(path: path, reason: error.reason)
    }
  }

  /// Overwrites key bytes. An ordinary assignment could be optimized away.
  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
