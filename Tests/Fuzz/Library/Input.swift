// SPDX-License-Identifier: Apache-2.0
// Splits an input into parts that the fuzzer mutates and choices derived from a few bytes.

import AtrestHTTP2
import Foundation

/// Reads an input from its front. After its end, everything is zero or empty, so no input is too
/// short.
struct Input {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Bytes after a length of two bytes. All remaining bytes if the length exceeds them.
  mutating func part() -> [UInt8] {
    let count = Int(byte()) << 8 | Int(byte())
    return bytes(count)
  }

  mutating func remainder() -> [UInt8] { bytes(rest.count) }

  /// Pseudorandom choices: the same four bytes give the same choices.
  mutating func choices() -> Choices {
    Choices(seed: bytes(4).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Encodes a part for `part()`.
  static func part(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
  }
}

/// One set of zlib streams per thread, as a shard has. Recreating them would take most of the time.
/// A message's leftovers must not affect the next one.
func sharedCodecs() -> Codecs {
  let store = Thread.current.threadDictionary
  if let codecs = store["codecs"] as? Codecs { return codecs }
  let codecs = Codecs()
  store["codecs"] = codecs
  return codecs
}

/// SplitMix64. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
package struct Choices: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// 0 to `limit` - 1.
  package mutating func below(_ limit: Int) -> Int {
    Int.random(in: 0..<max(1, limit), using: &self)
  }

  /// Splits bytes into pieces: mostly short ones, some long, some complete.
  mutating func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var rest = bytes[...]
    var pieces: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      let longest = [1, 8, 64, 1024, rest.count][below(5)]
      let piece = rest.prefix(1 + below(longest))
      pieces.append(piece)
      rest = rest.dropFirst(piece.count)
    }
    return pieces
  }
}
