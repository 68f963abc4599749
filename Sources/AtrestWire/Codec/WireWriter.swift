// SPDX-License-Identifier: Apache-2.0
// Encodes a message: its size first, then its bytes into memory of exactly that size.

/// The canonical encoding of a message. One allocation; sizes of embedded messages are computed
/// once for each level above them.
func encode(_ message: some FieldWriting) -> [UInt8] {
  let size = WireSize(of: message).bytes
  guard size > 0 else { return [] }
  return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    var writer = WireWriter(UnsafeMutableRawBufferPointer(buffer))
    message.write(to: &writer)
    precondition(writer.position == size, "a message wrote another number of bytes than it counted")
    count = size
  }
}

/// Counts the bytes of a message.
struct WireSize: FieldSink {
  private(set) var bytes = 0

  init() {}

  init(of message: some FieldWriting) {
    message.write(to: &self)
  }

  mutating func varint(_ number: UInt64) {
    // Seven bits a byte; zero takes one.
    bytes += (64 - (number | 1).leadingZeroBitCount + 6) / 7
  }

  mutating func eightBytes(_ number: UInt64) { bytes += 8 }

  mutating func copy(_ bytes: Slice) { self.bytes += bytes.count }

  mutating func copy(_ text: String) { bytes += text.utf8.count }

  mutating func nested(_ message: some FieldWriting) {
    let size = WireSize(of: message).bytes
    varint(UInt64(size))
    bytes += size
  }
}

/// Writes the bytes of a message. The memory has exactly the size that `WireSize` counted; every
/// write is within it, or traps.
private struct WireWriter: FieldSink {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var position = 0

  init(_ memory: UnsafeMutableRawBufferPointer) {
    self.memory = memory
  }

  private mutating func claim(_ count: Int) -> Int {
    let start = position
    position += count
    precondition(position <= memory.count, "a message wrote more bytes than it counted")
    return start
  }

  mutating func varint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      memory[claim(1)] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
    }
    memory[claim(1)] = UInt8(truncatingIfNeeded: rest)
  }

  mutating func eightBytes(_ number: UInt64) {
    memory.storeBytes(of: number.littleEndian, toByteOffset: claim(8), as: UInt64.self)
  }

  mutating func copy(_ bytes: Slice) {
    let start = claim(bytes.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyMemory(from: bytes)
  }

  mutating func copy(_ text: String) {
    var text = text
    text.withUTF8 { copy(Slice($0)) }
  }

  mutating func nested(_ message: some FieldWriting) {
    varint(UInt64(WireSize(of: message).bytes))
    message.write(to: &self)
  }
}
