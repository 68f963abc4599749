// SPDX-License-Identifier: Apache-2.0
// Body bytes that wait to be read.

/// A FIFO of bytes. What was dropped is moved out of the way only when more arrives, so that
/// reading it in small pieces copies nothing.
struct BufferedInput {
  private var bytes: [UInt8] = []
  private var start = 0

  var isEmpty: Bool { start == bytes.count }
  var count: Int { bytes.count - start }
  /// The memory it takes, in bytes.
  var bufferedBytes: Int { bytes.capacity }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    if start > bytes.count / 2 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  func withRest<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // `withUnsafeBytes` does not carry the type of an error.
    try bytes.withUnsafeBytes { all in
      Result { () throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: all[start...])) }
    }.get()
  }

  mutating func drop(_ count: Int) { start += count }
}
