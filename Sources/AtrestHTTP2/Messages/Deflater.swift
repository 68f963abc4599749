// SPDX-License-Identifier: Apache-2.0
// Compresses messages: at level 1, which on records is as small as level 9.

import CAtrestZlib

/// Owns one `z_stream`. On the heap: zlib remembers its address.
final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>

  init?(_ encoding: Compression, level: Int32 = 1) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let windowBits: Int32 = encoding == .gzip ? 15 + 16 : 15
    let result = deflateInit2_(
      stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    // `deinit` runs after a failed `init` too; ending an uninitialized stream does nothing.
    guard result == Z_OK else { return nil }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// The compressed bytes, or nil if they are not fewer than the input.
  func deflate(_ input: [UInt8]) -> [UInt8]? {
    guard input.count > 1, deflateReset(stream) == Z_OK else { return nil }
    let room = input.count - 1
    var result = Z_OK
    let output = input.withUnsafeBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: room) { target, count in
        // zlib's API is not const-correct: it does not write through `next_in`.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        stream.pointee.avail_in = UInt32(clamping: source.count)
        stream.pointee.next_out = target.baseAddress
        stream.pointee.avail_out = UInt32(clamping: room)
        result = CAtrestZlib.deflate(stream, Z_FINISH)
        count = room - Int(stream.pointee.avail_out)
      }
    }
    return result == Z_STREAM_END ? output : nil
  }
}
