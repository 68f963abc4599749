// SPDX-License-Identifier: Apache-2.0
// Inflates messages and detects decompression bombs.

import CAtrestZlib

/// Why a compressed message was not inflated.
enum InflateError: Error {
  /// Invalid format, truncated, or followed by other bytes.
  case corrupt
  /// The output exceeds the size limit or the ratio. Detected after at most one byte over the
  /// limit.
  case tooLarge
  /// zlib could not allocate memory.
  case outOfMemory
}

/// Owns one `z_stream`. On the heap: zlib remembers its address. A class: one owner frees it once.
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  /// Output buffer, sized for the largest allowed message and reused.
  private var scratch: [UInt8] = []

  init?(_ encoding: Compression) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let windowBits: Int32 = encoding == .gzip ? 15 + 16 : 15
    let result = inflateInit2_(
      stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    // `deinit` runs after a failed `init` too; ending an uninitialized stream does nothing.
    guard result == Z_OK else { return nil }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func inflate(_ input: [UInt8], limits: Limits) throws(InflateError) -> [UInt8] {
    let (byRatio, overflow) = input.count.multipliedReportingOverflow(by: limits.maxInflateRatio)
    let cap = min(
      limits.maxMessageBytes, max(limits.inflateRatioFloorBytes, overflow ? .max : byRatio))
    if scratch.count < cap + 1 { scratch = [UInt8](repeating: 0, count: cap + 1) }
    guard inflateReset(stream) == Z_OK else { throw .corrupt }
    var unread = 0
    var produced = 0
    let result = input.withUnsafeBufferPointer { source in
      scratch.withUnsafeMutableBufferPointer { target in
        // zlib's API is not const-correct: it does not write through `next_in`.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        stream.pointee.avail_in = UInt32(clamping: source.count)
        stream.pointee.next_out = target.baseAddress
        // One extra byte tells "exactly the limit" from "over it".
        stream.pointee.avail_out = UInt32(clamping: cap + 1)
        let result = CAtrestZlib.inflate(stream, Z_FINISH)
        unread = Int(stream.pointee.avail_in)
        produced = cap + 1 - Int(stream.pointee.avail_out)
        return result
      }
    }
    if produced > cap { throw .tooLarge }
    guard result == Z_STREAM_END, unread == 0 else {
      throw result == Z_MEM_ERROR ? .outOfMemory : .corrupt
    }
    return Array(scratch[..<produced])
  }
}
