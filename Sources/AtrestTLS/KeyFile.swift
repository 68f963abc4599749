// SPDX-License-Identifier: Apache-2.0
// Reads key files with a size bound, and writes them atomically.

import AtrestFiles
import CAtrestOpenSSL
import Glibc

/// A file of keys or certificates.
struct KeyFile {
  /// Maximum size in bytes. Real chains take about 10 KiB, and complete CA bundles about 250 KiB.
  static let limitBytes = 1 << 20

  let path: String

  /// Reads the file.
  /// - Parameter isPrivate: Whether to reject a file that other users can read.
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

  /// Writes the file with mode 0600, atomically. On return it is durable. On a throw the old
  /// content remains. Not safe for concurrent writers.
  func write(_ bytes: [UInt8]) throws(TLSFileError) {
    do throws(SmallFileProblem) { try SmallFile.store(bytes, at: path) } catch {
      throw .unwritable(path: path, reason: error.reason)
    }
  }

  /// Overwrites key material. The compiler could optimise an ordinary assignment away.
  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
