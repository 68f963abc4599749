// SPDX-License-Identifier: Apache-2.0
// Serializes one stream's messages into DATA-frame-sized pieces.

/// A FIFO of messages for one stream, read with their length prefixes in pieces of any size.
struct SendQueue {
  /// The first byte of a message's prefix.
  enum Flag: UInt8 {
    case plain = 0
    case compressed = 1
    /// gRPC-Web's trailers. Source: grpc/grpc doc/PROTOCOL-WEB.md.
    case trailers = 0x80
  }

  private struct Entry {
    var message: [UInt8]
    var flag: Flag
    /// Memory that is freed with it, in bytes.
    var chargedBytes: Int
  }

  /// The first message. Usually the only one, so it needs no array.
  private var current: Entry?
  private var later: [Entry] = []
  private var laterHead = 0
  /// Bytes of `current` already read, including the prefix.
  private var offset = 0
  /// Unread bytes, including prefixes.
  private(set) var byteCount = 0
  /// Memory of the messages, in bytes. Each counts until its last byte is read.
  private(set) var bufferedBytes = 0
  /// Bytes read so far. Wraps; only changes are meaningful.
  private(set) var progress: UInt64 = 0

  var isEmpty: Bool { current == nil }
  /// Whether a message is partly read. Only the rest of it may follow.
  var isHalfRead: Bool { offset > 0 }

  mutating func append(_ message: [UInt8], flag: Flag) {
    append(Entry(message: message, flag: flag, chargedBytes: message.capacity))
  }

  private mutating func append(_ entry: Entry) {
    precondition(entry.message.count <= Int(UInt32.max), "A message has a 32-bit length.")
    byteCount += 5 + entry.message.count
    bufferedBytes += entry.chargedBytes
    if current == nil { current = entry } else { later.append(entry) }
  }

  /// Appends bytes that others keep as well, without a length prefix. The queue must be empty.
  mutating func appendPlain(_ bytes: [UInt8]) {
    append(Entry(message: bytes, flag: .plain, chargedBytes: 0))
    byteCount -= 5
    offset = 5
  }

  mutating func removeAll() {
    let progress = progress
    self = SendQueue()
    self.progress = progress
  }

  /// Moves up to `capacity` bytes into `target`. Returns how many.
  mutating func read(into target: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
    var written = 0
    while written < capacity, let entry = current {
      let length = entry.message.count
      while offset < 5, written < capacity {
        target[written] =
          offset == 0
          ? entry.flag.rawValue : UInt8(truncatingIfNeeded: length >> (8 * (4 - offset)))
        written += 1
        offset += 1
      }
      guard offset >= 5 else { break }
      let take = min(length - (offset - 5), capacity - written)
      if take > 0 {
        entry.message.withUnsafeBufferPointer { source in
          guard let base = source.baseAddress else { return }
          (target + written).update(from: base + (offset - 5), count: take)
        }
        written += take
        offset += take
      }
      if offset == 5 + length { advance() }
    }
    byteCount -= written
    progress &+= UInt64(written)
    return written
  }

  private mutating func advance() {
    offset = 0
    bufferedBytes -= current?.chargedBytes ?? 0
    guard laterHead < later.count else {
      current = nil
      return
    }
    current = later[laterHead]
    laterHead += 1
    if laterHead == later.count {
      later.removeAll(keepingCapacity: true)
      laterHead = 0
    } else if laterHead >= 64, laterHead * 2 >= later.count {
      later.removeFirst(laterHead)
      laterHead = 0
    }
  }
}
