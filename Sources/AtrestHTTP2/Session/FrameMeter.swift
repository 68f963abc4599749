// SPDX-License-Identifier: Apache-2.0
// Finds frame boundaries in a client's input, to count frames that nghttp2 skips silently.

/// The nine-byte frame header. Source: RFC 9113, section 4.1.
struct FrameHead {
  var length = 0
  var type: UInt8 = 0
  var flags: UInt8 = 0
  var stream: Int32 = 0

  /// The frame types distinguished here. Source: RFC 9113, section 6.
  enum Kind {
    /// HEADERS and CONTINUATION.
    case request
    case data
    case windowUpdate
    case other
  }

  var kind: Kind {
    switch type {
    case 0: .data
    case 1, 9: .request
    case 8: .windowUpdate
    default: .other
    }
  }

  var isData: Bool { type == 0 }
  /// END_STREAM, on DATA and HEADERS.
  var endsStream: Bool { flags & 1 != 0 }
}

/// Walks over frames without parsing payloads. nghttp2 does not report unknown frame types, nor
/// DATA on closed streams; a flood of those costs as much as any other.
struct FrameMeter {
  /// Bytes to skip: the rest of a payload or of the preface.
  private var skip = 24
  private var head = FrameHead()
  private var headCount = 0

  /// Consumes bytes and reports the header of each frame that begins in them.
  mutating func feed(_ bytes: UnsafeRawBufferPointer, _ found: (FrameHead) -> Void) {
    var index = 0
    while index < bytes.count {
      if skip > 0 {
        let passed = min(skip, bytes.count - index)
        skip -= passed
        index += passed
        continue
      }
      take(bytes[index])
      index += 1
      guard headCount == 9 else { continue }
      found(head)
      skip = head.length
      head = FrameHead()
      headCount = 0
    }
  }

  private mutating func take(_ byte: UInt8) {
    switch headCount {
    case 0...2: head.length = head.length << 8 | Int(byte)
    case 3: head.type = byte
    case 4: head.flags = byte
    case 5: head.stream = Int32(byte & 0x7f)
    default: head.stream = head.stream << 8 | Int32(byte)
    }
    headCount += 1
  }
}
