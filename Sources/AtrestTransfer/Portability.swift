// SPDX-License-Identifier: Apache-2.0
// Bounds on files that people bring.

/// Portable files: the native export, which every device reads and writes, and other apps' files.
public enum Portability {
  /// Bounds on input.
  public enum Limits {
    /// The largest file in bytes.
    public static let fileBytes = 64 * 1024 * 1024
    /// The most records in a file.
    public static let entries = 1_000_000
    /// The longest line of the native format in bytes: the largest record in Base64, with a margin.
    package static let lineBytes = 256 * 1024
  }

  /// A file without the byte order mark that editors and spreadsheets put before UTF-8. Free
  /// without one.
  package static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }
}
