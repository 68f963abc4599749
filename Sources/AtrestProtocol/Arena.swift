// SPDX-License-Identifier: Apache-2.0
// Memory of one decoding or encoding: allocated in pieces, freed at once, bounded.

import CAtrestProtobufC

#if canImport(Glibc)
  import Glibc
#endif

/// A bump allocator behind protobuf-c's allocator hook. Its budget guards against messages that are
/// small on the wire and large in memory: protobuf-c can need 76 times a message's size.
///
/// Not thread-safe. Pointers into it are valid only during its lifetime.
final class Arena {
  /// Maximum bytes per unpack. A page of 1,000 ordinary offers takes under 1 MiB.
  static let budgetBytes = 8 * 1024 * 1024

  // Unchecked: every message makes an arena, and the exclusivity checks cost more than what they
  // guard, which are numbers and pointers. `hook` is lent to protobuf-c, which calls `take`; that
  // does not touch it.
  @exclusivity(unchecked) private var chunks: [UnsafeMutableRawPointer] = []
  @exclusivity(unchecked) private var next: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var leftBytes: Int
  @exclusivity(unchecked) private var takenBytes: Int
  @exclusivity(unchecked) private var hook: ProtobufCAllocator

  /// - Parameter expectedBytes: A size estimate that avoids growth; any value works.
  init(expectedBytes: Int = 2048) {
    let size = min(max(expectedBytes, 512), Arena.budgetBytes)
    next = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    chunks = [next]
    leftBytes = size
    takenBytes = size
    hook = ProtobufCAllocator(
      alloc: { owner, size in
        owner.flatMap { Unmanaged<Arena>.fromOpaque($0).takeUnretainedValue().take(size) }
      },
      free: { _, _ in },  // The arena frees everything at once.
      allocator_data: nil)
    hook.allocator_data = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  /// Allocates `size` bytes with an alignment of 8; nil if the budget is exhausted. The size is
  /// stored before them.
  func take(_ size: Int) -> UnsafeMutableRawPointer? {
    guard (0...Arena.budgetBytes).contains(size) else { return nil }
    let rounded = (Arena.headerBytes + size + 7) & ~7
    if rounded > leftBytes {
      let chunk = max(rounded, min(takenBytes, 1 << 20))
      guard takenBytes + chunk <= Arena.budgetBytes else { return nil }
      next = UnsafeMutableRawPointer.allocate(byteCount: chunk, alignment: 16)
      chunks.append(next)
      leftBytes = chunk
      takenBytes += chunk
    }
    defer {
      next += rounded
      leftBytes -= rounded
    }
    next.storeBytes(of: size, as: Int.self)
    return next + Arena.headerBytes
  }

  private static let headerBytes = MemoryLayout<Int>.size

  /// The requested size of an allocation made by `take` of any arena.
  static func size(at address: UnsafeRawPointer) -> Int {
    (address - headerBytes).load(as: Int.self)
  }

  /// Calls `body` with the allocator hook of this arena.
  func withAllocator<R>(_ body: (UnsafeMutablePointer<ProtobufCAllocator>) -> R) -> R {
    body(&hook)
  }
}

/// Allocation for encoding. Unlike decoding it is sized by our own values, so exhausting the budget
/// is our own bug.
extension Arena {
  private func require(_ size: Int) -> UnsafeMutableRawPointer {
    guard let memory = take(size) else { preconditionFailure("encoding outgrew its budget") }
    return memory
  }

  /// Allocates a C message with default values.
  func make<C>(_ initialize: (UnsafeMutablePointer<C>?) -> Void) -> UnsafeMutablePointer<C> {
    let message = require(MemoryLayout<C>.size).bindMemory(to: C.self, capacity: 1)
    initialize(message)
    return message
  }

  /// Copies bytes.
  func bytes(_ source: [UInt8]) -> ProtobufCBinaryData {
    guard !source.isEmpty else { return ProtobufCBinaryData(len: 0, data: nil) }
    let copy = require(source.count)
    source.withUnsafeBytes {
      copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count)
    }
    return ProtobufCBinaryData(
      len: source.count, data: copy.bindMemory(to: UInt8.self, capacity: source.count))
  }

  /// Copies text and appends a NUL.
  func text(_ source: String) -> UnsafeMutablePointer<CChar> {
    let utf8 = source.utf8
    let copy = require(utf8.count + 1).bindMemory(to: CChar.self, capacity: utf8.count + 1)
    for (index, unit) in utf8.enumerated() { copy[index] = CChar(bitPattern: unit) }
    copy[utf8.count] = 0
    return copy
  }

  /// Allocates a C array with one element for each element of `source`.
  func array<S, C>(_ source: [S], _ element: (S) -> C) -> UnsafeMutablePointer<C>? {
    guard !source.isEmpty else { return nil }
    let size = MemoryLayout<C>.stride * source.count
    let array = require(size).bindMemory(to: C.self, capacity: source.count)
    for (index, item) in source.enumerated() {
      (array + index).initialize(to: element(item))
    }
    return array
  }
}
