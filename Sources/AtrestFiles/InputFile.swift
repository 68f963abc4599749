// SPDX-License-Identifier: Apache-2.0
// Reads what a person names as input: a file, a pipe, or standard input.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Input that a person names. It may have no size to ask for, so it is bounded while it is read.
package enum InputFile {
  private static let chunkBytes = 64 * 1024

  /// All of it, up to its end. Opening a named pipe waits for its writer.
  ///
  /// - Parameters:
  ///   - path: A file, a pipe or a device; `-` is standard input.
  ///   - limitBytes: The longest input that is read.
  /// - Throws: `.tooLong`, or `.system`: for a folder, too.
  package static func read(
    _ path: String, limitBytes: Int
  ) throws(SmallFileProblem) -> [UInt8] {
    let isStandardInput = path == "-"
    let file = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .system(errno) }
    defer { if !isStandardInput { _ = close(file) } }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: chunkBytes)
    while true {
      let count = chunk.withUnsafeMutableBytes { readSome(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(errno) }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= limitBytes else { throw .tooLong }
      bytes += chunk[..<count]
    }
  }
}
