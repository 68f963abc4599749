// SPDX-License-Identifier: Apache-2.0
// The functions of the WebAssembly module: memory for a request, and the request.

/// The replica of this module. One page has one.
nonisolated(unsafe) private let core = WebCore(random: {
  var number: UInt64 = 0
  unsafe withUnsafeMutableBytes(of: &number) { bytes in
    unsafe random(bytes.baseAddress, Int32(bytes.count))
  }
  return number
})

/// Answers a request of parts: their number, then each with its length before it; lengths have four
/// bytes, the least first.
///
/// - Returns: The answer in the same form, for the host to release; 0 for a request that is not
///   in this form, or without memory.
@_expose(wasm, "run") @_cdecl("run")
public func run(_ address: UnsafePointer<UInt8>?, _ count: Int32) -> UnsafeMutableRawPointer? {
  let request = unsafe UnsafeBufferPointer(start: address, count: max(0, Int(count)))
  guard let parts = unsafe read(request) else { return nil }
  return unsafe write(core.answer(parts))
}

private func read(_ bytes: UnsafeBufferPointer<UInt8>) -> [[UInt8]]? {
  var place = 0
  func number() -> Int? {
    guard bytes.count - place >= 4 else { return nil }
    defer { place += 4 }
    let number = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << ($1 * 8) }
    return Int(exactly: number)
  }
  guard let count = number(), count >= 0, count <= bytes.count / 4 else { return nil }
  var parts: [[UInt8]] = []
  parts.reserveCapacity(count)
  for _ in 0..<count {
    guard let size = number(), size >= 0, size <= bytes.count - place else { return nil }
    parts.append(unsafe Array(UnsafeBufferPointer(rebasing: bytes[place..<(place + size)])))
    place += size
  }
  return parts
}

private func write(_ parts: [[UInt8]]) -> UnsafeMutableRawPointer? {
  let size = parts.reduce(4) { $0 + 4 + $1.count }
  guard let size = Int32(exactly: size), let memory = unsafe reserve(size) else { return nil }
  var place = 0
  func write(_ number: Int) {
    unsafe memory.storeBytes(
      of: UInt32(truncatingIfNeeded: number).littleEndian, toByteOffset: place, as: UInt32.self)
    place += 4
  }
  write(parts.count)
  for part in parts {
    write(part.count)
    unsafe part.withUnsafeBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(start: memory + place, count: bytes.count)
        .copyMemory(from: bytes)
    }
    place += part.count
  }
  return unsafe memory
}

/// Random bytes. The host's.
@_extern(wasm, module: "host", name: "random")
@_extern(c)
func random(_ bytes: UnsafeMutableRawPointer?, _ count: Int32)

/// Memory of the allocator in runtime.c.
@_extern(c)
func reserve(_ count: Int32) -> UnsafeMutableRawPointer?
