// SPDX-License-Identifier: Apache-2.0
// SHA-256 without a library, for platforms that have none.

/// SHA-256. Not for secrets that must be erased: it leaves what it read in memory.
///
/// Source: FIPS 180-4, section 6.2. A server, which hashes all records of an account at once, uses
/// AtrestCrypto, which is several times as fast.
package enum PortableSHA256 {
  /// The hash, in 32 bytes. O(bytes), about 5 ns each.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var state = SIMD8<UInt32>(
      0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
      0x5BE0_CD19)
    let whole = bytes.count / 64 * 64
    bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: whole, by: 64) {
        absorb(Slice(rebasing: bytes[start..<start + 64]), into: &state)
      }
    }
    // The rest is followed by a one bit, zeros, and the length in bits; it may need two blocks.
    var rest = Array(bytes[whole...])
    rest.append(0x80)
    while rest.count % 64 != 56 { rest.append(0) }
    let bits = UInt64(bytes.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) {
      rest.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    rest.withUnsafeBytes { rest in
      for start in stride(from: 0, to: rest.count, by: 64) {
        absorb(Slice(rebasing: rest[start..<start + 64]), into: &state)
      }
    }
    var hash: [UInt8] = []
    hash.reserveCapacity(32)
    for index in 0..<8 {
      for shift in stride(from: 24, through: 0, by: -8) {
        hash.append(UInt8(truncatingIfNeeded: state[index] >> UInt32(shift)))
      }
    }
    return hash
  }

  /// Takes in one block of 64 bytes.
  private static func absorb(_ block: Slice, into state: inout SIMD8<UInt32>) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      for index in 0..<16 {
        let word = block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        schedule[index] = UInt32(bigEndian: word)
      }
      for index in 16..<64 {
        let (near, far) = (schedule[index - 2], schedule[index - 15])
        schedule[index] =
          schedule[index - 16] &+ schedule[index - 7]
          &+ (near.rotated(17) ^ near.rotated(19) ^ (near >> 10))
          &+ (far.rotated(7) ^ far.rotated(18) ^ (far >> 3))
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      constants.withUnsafeBufferPointer { constants in
        for index in 0..<64 {
          let first =
            h &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)) &+ ((e & f) ^ (~e & g))
            &+ constants[index] &+ schedule[index]
          let second =
            (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ ((a & b) ^ (a & c) ^ (b & c))
          (h, g, f, e) = (g, f, e, d &+ first)
          (d, c, b, a) = (c, b, a, first &+ second)
        }
      }
      state = state &+ SIMD8(a, b, c, d, e, f, g, h)
    }
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]
}

extension UInt32 {
  fileprivate func rotated(_ bits: UInt32) -> UInt32 {
    self &>> bits | self &<< (32 &- bits)
  }
}
