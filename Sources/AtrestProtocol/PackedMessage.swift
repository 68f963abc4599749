// SPDX-License-Identifier: Apache-2.0
// Wraps protobuf-c: Swift values outside, C messages inside; no C message leaves this module.

import AtrestWire
import CAtrestProtobufC

#if canImport(Glibc)
  import Glibc
#endif

/// A protocol message that protobuf-c reads and writes.
///
/// The server reads and writes all its messages so, and the client with `WireMessage`: whatever the
/// two say to each other is checked by an independent implementation of the wire format. Both give
/// the same bytes for a value, and the same values and verdicts for bytes. `WireError` says the
/// same thing for a message with one fault.
public protocol PackedMessage: Hashable, Sendable {
  /// Unpacks a message.
  ///
  /// - Parameter bytes: Untrusted bytes. None can trap or take more than 8 MiB.
  /// - Throws: `WireError` if the bytes are malformed or violate the contract.
  init(unpacking bytes: [UInt8]) throws(WireError)

  /// The protobuf encoding.
  var packed: [UInt8] { get }
}

/// Unpacks a C message into the arena.
func unpack<C>(
  _ bytes: UnsafeBufferPointer<UInt8>, in arena: Arena,
  by function: (UnsafeMutablePointer<ProtobufCAllocator>?, Int, UnsafePointer<UInt8>?) ->
    UnsafeMutablePointer<C>?
) throws(WireError) -> UnsafeMutablePointer<C> {
  var nothing: UInt8 = 0  // protobuf-c requires an address even for no bytes.
  let message = arena.withAllocator { allocator in
    withUnsafePointer(to: &nothing) { nowhere in
      function(allocator, bytes.count, bytes.baseAddress ?? nowhere)
    }
  }
  guard let message else { throw .malformed }
  return message
}

/// Unpacks a C message and passes it to `body`. It is valid only during that call.
func unpacking<C, R>(
  _ bytes: [UInt8],
  by function: (UnsafeMutablePointer<ProtobufCAllocator>?, Int, UnsafePointer<UInt8>?) ->
    UnsafeMutablePointer<C>?,
  _ body: (C) throws(WireError) -> R
) throws(WireError) -> R {
  guard hasFewFields(bytes) else { throw .invalid("a message has very many fields") }
  let arena = Arena(expectedBytes: bytes.count * 8)
  // The message points into the arena; the compiler does not know that.
  defer { withExtendedLifetime(arena) {} }
  return try bytes.withUnsafeBufferPointer { buffer throws(WireError) -> R in
    let message = try unpack(buffer, in: arena, by: function)
    return try body(message.pointee)
  }
}

/// Whether a message has a plausible number of fields for its size, including unknown ones. A full
/// page has about 2,000. The owner's lists, whose entries take more than 16 bytes each, may have
/// more. protobuf-c spends some 50 ns on each, so 270 KiB of the smallest would cost 4 ms.
/// Malformed messages are left to protobuf-c.
private func hasFewFields(_ bytes: [UInt8]) -> Bool {
  let most = max(Limit.messageFields, bytes.count / 16)
  // A field takes at least two bytes.
  guard bytes.count / 2 > most else { return true }
  return bytes.withUnsafeBufferPointer { bytes in
    var (index, count) = (0, 0)
    while index < bytes.count {
      count += 1
      if count > most { return false }
      let wireType = bytes[index] & 7
      // Only the tag's wire type matters here, and only the end of a number.
      index = endOfVarint(bytes, index)
      switch wireType {
      case 0: index = endOfVarint(bytes, index)
      case 1: index += 8
      case 2:
        let start = index
        index = endOfVarint(bytes, index)
        guard index <= bytes.count, index - start <= 5 else { return true }
        var length = 0
        for byte in bytes[start..<index].reversed() { length = length << 7 | Int(byte & 0x7f) }
        index += length
      case 5: index += 4
      default: break  // Groups, which protobuf-c rejects; each group tag counts as a field.
      }
    }
    return true
  }
}

/// The index after a varint; past the end if it is unterminated.
private func endOfVarint(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
  var index = start
  while index < bytes.count, bytes[index] >= 0x80 { index += 1 }
  return index + 1
}

/// Builds a C message in a new arena and packs it.
func packing<C>(
  _ initialize: (UnsafeMutablePointer<C>?) -> Void, expectedBytes: Int = 512,
  _ fill: (inout C, Arena) -> Void
) -> [UInt8] {
  let arena = Arena(expectedBytes: expectedBytes)
  let message: UnsafeMutablePointer<C> = arena.make(initialize)
  fill(&message.pointee, arena)
  return withExtendedLifetime(arena) { pack(message) }
}

/// Packs a C message. Its first member is the `ProtobufCMessage` that describes it.
func pack<C>(_ message: UnsafeMutablePointer<C>) -> [UInt8] {
  let base = UnsafeRawPointer(message).assumingMemoryBound(to: ProtobufCMessage.self)
  let size = protobuf_c_message_get_packed_size(base)
  // Otherwise the standard library would write a count of zero into the empty array that all
  // threads share.
  guard size > 0 else { return [] }
  return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    count = buffer.baseAddress.map { protobuf_c_message_pack(base, $0) } ?? 0
  }
}

extension Array where Element == UInt8 {
  /// Copies the bytes of a C message.
  init(_ data: ProtobufCBinaryData) {
    self.init(UnsafeBufferPointer(start: data.data, count: data.data == nil ? 0 : data.len))
  }
}

/// Reads text of a C message unpacked in an arena. protobuf-c does not validate UTF-8 and ends text
/// at its first NUL. proto3 requires UTF-8, and truncated text would be a different name than the
/// one sent.
func text(
  _ characters: UnsafeMutablePointer<CChar>?, limitBytes: Int
) throws(WireError) -> String {
  guard let characters, UnsafePointer(characters) != atrest_absent_string() else { return "" }
  guard strlen(characters) + 1 == Arena.size(at: characters) else {
    throw .invalid("text has a NUL in it")
  }
  guard let text = String(validatingCString: characters) else {
    throw .invalid("text is not UTF-8")
  }
  guard text.utf8.count <= limitBytes else { throw .invalid("text is too long") }
  return text
}

/// The elements of a C array.
func elements<C>(
  _ array: UnsafeMutablePointer<UnsafeMutablePointer<C>?>?, _ count: Int
) -> some Sequence<C> {
  UnsafeBufferPointer(start: array, count: array == nil ? 0 : count).lazy.compactMap { $0?.pointee }
}
