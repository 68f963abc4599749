// SPDX-License-Identifier: Apache-2.0
// Decides where one length-prefixed message ends and the next begins, however the bytes are cut.

/// Why a message cannot be read. Both end the call.
enum FramingError: Error {
  /// A first byte other than 0 and 1.
  case badFlag
  /// A declared length over the limit; found before any of it is stored.
  case tooLarge
}

/// Cuts a body into messages: one flag byte, four bytes of length (big-endian), the message.
/// Source: grpc/grpc doc/PROTOCOL-HTTP2.md, "Length-Prefixed-Message".
struct MessageReader {
  private var prefixCount = 0
  private var isCompressed = false
  private var expected = 0
  private var body: [UInt8] = []

  /// Whether a message has begun that has not ended.
  var isMidMessage: Bool { prefixCount > 0 }
  /// Memory that the message in the making takes.
  var bufferedBytes: Int { body.capacity }
  /// The length that the message in the making has declared.
  var declaredBytes: Int { prefixCount == 5 ? expected : 0 }

  /// Takes the next bytes and hands out every message they complete. One copy of each byte.
  mutating func feed(
    _ bytes: UnsafeRawBufferPointer, limitBytes: Int, emit: ([UInt8], _ isCompressed: Bool) -> Void
  ) throws(FramingError) {
    var index = 0
    while index < bytes.count {
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
        emit(Array(chunk), isCompressed)
        continue
      }
      // A declared length alone reserves nothing large: a peer could otherwise buy 256 KiB for 5
      // bytes.
      if body.isEmpty { body.reserveCapacity(min(expected, max(take, 16 * 1024))) }
      body.append(contentsOf: chunk)
      guard body.count == expected else { continue }
      let message = body
      body = []
      prefixCount = 0
      emit(message, isCompressed)
    }
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
