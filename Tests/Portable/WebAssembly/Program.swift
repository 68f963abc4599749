// SPDX-License-Identifier: Apache-2.0
// Runs the cases of the portable core and tells the host which fail; replays the merge vectors.

import AtrestReplication

/// Runs every case.
///
/// - Returns: The number of cases, negative if one failed.
@_expose(wasm, "run") @_cdecl("run")
public func run() -> Int32 {
  let cases = PortableCase.all()
  let failed = cases.filter { $0.found != $0.expected }
  for item in failed {
    var text = "\(item.name): expected \(item.expected), found \(item.found)"
    text.withUTF8 { unsafe report($0.baseAddress, Int32($0.count)) }
  }
  return failed.isEmpty ? Int32(cases.count) : -Int32(failed.count)
}

/// The case under way.
nonisolated(unsafe) private var replay = VectorReplay()

/// Begins a case of the merge vectors.
@_expose(wasm, "begin") @_cdecl("begin")
public func begin() { unsafe replay = VectorReplay() }

/// Replays one offer, whose bytes are the host's, and tells the host the parts of its outcome.
///
/// - Returns: The number of parts; 0 if the bytes are no offer.
@_expose(wasm, "offer") @_cdecl("offer")
public func offer(_ address: UnsafePointer<UInt8>?, _ count: Int32, _ now: Int64) -> Int32 {
  let bytes = unsafe Array(UnsafeBufferPointer(start: address, count: max(0, Int(count))))
  let parts = unsafe replay.offer(bytes, at: WallTime(milliseconds: now)) ?? []
  for part in parts {
    unsafe part.withUnsafeBufferPointer { unsafe take($0.baseAddress, Int32($0.count)) }
  }
  return Int32(parts.count)
}

/// Takes a part of an outcome. The host's.
@_extern(wasm, module: "host", name: "take")
@_extern(c)
func take(_ part: UnsafePointer<UInt8>?, _ count: Int32)

/// Writes a line of UTF-8. The host's.
@_extern(wasm, module: "host", name: "report")
@_extern(c)
func report(_ text: UnsafePointer<UInt8>?, _ count: Int32)
