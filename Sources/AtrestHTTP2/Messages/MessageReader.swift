// SPDX-License-Identifier: Apache-2.0
// Splits a byte stream into length-prefixed messages, however the bytes are chunked.

/// Why a message cannot be read. Either error ends the call.
enum FramingError: Error {
  /// The compressed flag is neither 0 nor 1.
  case badFlag
  /// The declared length exceeds the limit. Detected before any of the message is buffered.
  case tooLarge
}

/// Parses length-prefixed messages: one flag byte, a four-byte big-endian length, the message.
/// Source: grpc/grpc doc/PROTOCOL-HTTP2.md, "Length-Prefixed-Message".
struct MessageReader {
  private var prefixCount = 0
  private var isCompressed = false
  private var expected = 0
  private var body: [UInt8] = []

  /// Whether a message has been partly received.
  var isMidMessage: Bool { prefixCount > 0 }
  /// Memory of the partial message, in bytes.
  var bufferedBytes: Int { body.capacity }
  /// The declared length of the partial message; 0 until its prefix is complete.
  var declaredBytes: Int { prefixCount == 5 ? expected : 0 }

  /// Consumes bytes and emits every message they complete, until that is enough. Copies each byte
  /// once.
  ///
  /// - Parameter emit: Returns whether it takes another message.
  /// - Returns: How many bytes were consumed.
  mutating func feed(
    _ bytes: UnsafeRawBufferPointer, limitBytes: Int, emit: ([UInt8], _ isCompressed: Bool) -> Bool
  ) throws(FramingError) -> Int {
    var index = 0
    var takesMore = true
    while index < bytes.count, takesMore {
      if prefixCount < 5 {
        try takePrefix(bytes[index], limitBytes: limitBytes)
        index += 1
        guard prefixCount == 5 else { continue }
      }
      let take = min(expected - body.count, bytes.count - index)
      let chunk = UnsafeRawBufferPointer(rebasing: bytes[index..<index + take])
      index += take
      if body.isEmpty, take == expected {
        prefixCount = 0
        takesMore = emit(Array(chunk), isCompressed)
        continue
      }
      // A declared length alone reserves nothing large: otherwise a peer could make this side
      // allocate 256 KiB with 5 bytes.
      if body.isEmpty { body.reserveCapacity(min(expected, max(take, 16 * 1024))) }
      body.append(contentsOf: chunk)
      guard body.count == expected else { continue }
      let message = body
      body = []
      prefixCount = 0
      takesMore = emit(message, isCompressed)
    }
    return index
  }

  private mutating func takePrefix(_ byte: UInt8, limitBytes: Int) throws(FramingError) {
    if prefixCount == 0 {
      guard byte <= 1 else { throw .badFlag }
      isCompressed = byte == 1
      expected = 0
    } else {
      expected = expected << 8 | Int(byte)
    }
    prefixCount += 1
    if prefixCount == 5, expected > limitBytes { throw .tooLarge }
  }
}
