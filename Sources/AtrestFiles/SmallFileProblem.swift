// SPDX-License-Identifier: Apache-2.0
// Why a small file was not read or written.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a file cannot be read or written. Its path is the caller's to tell.
package enum SmallFileProblem: Error, Equatable {
  /// The system's error number.
  case system(CInt)
  /// It is a folder, a pipe or a device.
  case notAFile
  /// It is longer than it may be.
  case tooLong
  /// Other users may read it.
  case exposed
  /// Other users may change it: see `FileTrust`.
  case untrusted(String)

  /// What is wrong, for brackets in a sentence.
  package var reason: String {
    switch self {
    case .system(let code): Self.text(code)
    case .notAFile: "it is not a file"
    case .tooLong: "it is too long"
    case .exposed: "other users may read it"
    case .untrusted(let reason): reason
    }
  }

  private static func text(_ code: CInt) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
