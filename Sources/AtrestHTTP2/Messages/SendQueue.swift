// SPDX-License-Identifier: Apache-2.0
// Decides in what pieces the messages of one stream go into DATA frames.

/// Messages waiting for one stream, read out with their prefixes in pieces of any size.
struct SendQueue {
  private struct Entry {
    var message: [UInt8]
    var isCompressed: Bool
  }

  /// The common queue holds one message, which needs no array.
  private var current: Entry?
  private var later: [Entry] = []
  private var laterHead = 0
  /// Bytes of `current`, prefix included, that have been read.
  private var offset = 0
  /// Bytes not read yet, prefixes included.
  private(set) var byteCount = 0
  /// Memory that the messages take: each until its last byte is read.
  private(set) var bufferedBytes = 0
  /// Bytes read so far. Wraps; only a change means something.
  private(set) var progress: UInt64 = 0

  var isEmpty: Bool { current == nil }
  /// Whether part of a message has been read: what follows cannot be another thing than its rest.
  var isHalfRead: Bool { offset > 0 }

  mutating func append(_ message: [UInt8], isCompressed: Bool) {
    precondition(message.count <= Int(UInt32.max), "A message has a 32-bit length.")
    byteCount += 5 + message.count
    bufferedBytes += message.capacity
    let entry = Entry(message: message, isCompressed: isCompressed)
    if current == nil { current = entry } else { later.append(entry) }
  }

  /// Appends bytes to an empty queue that no prefix precedes.
  mutating func appendPlain(_ bytes: [UInt8]) {
    append(bytes, isCompressed: false)
    byteCount -= 5
    offset = 5
  }

  mutating func removeAll() {
    let progress = progress
    self = SendQueue()
    self.progress = progress
  }

  /// Moves up to `capacity` bytes out. Returns how many.
  mutating func read(into target: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
    var written = 0
    while written < capacity, let entry = current {
      let length = entry.message.count
      while offset < 5, written < capacity {
        target[written] =
          offset == 0
          ? (entry.isCompressed ? 1 : 0) : UInt8(truncatingIfNeeded: length >> (8 * (4 - offset)))
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
    bufferedBytes -= current?.message.capacity ?? 0
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
