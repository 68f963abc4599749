// SPDX-License-Identifier: Apache-2.0
// Hashes and hexadecimal digits that every device and every run computes identically.

import AtrestReplication
import Testing

@Suite(.timeLimit(.minutes(20))) struct FNV1aTests {
  @Test("the hash agrees with its published values")
  func published() {
    #expect(FNV1a.hash([]) == 0xcbf2_9ce4_8422_2325)
    #expect(FNV1a.hash(Array("a".utf8)) == 0xaf63_dc4c_8601_ec8c)
    #expect(FNV1a.hash(Array("foobar".utf8)) == 0x8594_4171_f739_67e8)
  }

  @Test("an integer counts as its bytes, the most significant first")
  func integers() {
    var hash = FNV1a()
    hash.add(bigEndian: UInt32(0x0102_0304))
    #expect(hash.value == FNV1a.hash([1, 2, 3, 4]))
  }
}

@Suite(.timeLimit(.minutes(20))) struct HexadecimalTests {
  @Test("bytes come back from their digits, small or capital")
  func roundTrip() {
    let bytes = (UInt8.min...UInt8.max).map { $0 }
    let digits = Hexadecimal.encoded(bytes)
    #expect(digits.hasPrefix("000102") && digits.hasSuffix("fdfeff"))
    #expect(Hexadecimal.decoded(Array(digits.utf8)[...]) == bytes)
    #expect(Hexadecimal.decoded(Array(digits.uppercased().utf8)[...]) == bytes)
  }

  @Test("of all bytes 22 are digits")
  func digits() {
    let digits = (UInt8.min...UInt8.max).filter { Hexadecimal.decoded([$0, 0x30][...]) != nil }
    #expect(digits == Array("0123456789ABCDEFabcdef".utf8))
    #expect(
      (UInt8.min...UInt8.max).filter { Hexadecimal.decoded([0x30, $0][...]) != nil } == digits)
    #expect(Hexadecimal.decoded([]) == [])
  }

  @Test("a number has sixteen digits")
  func number() {
    #expect(Hexadecimal.encoded(UInt64(0x0102)) == "0000000000000102")
  }

  @Test("half a byte, and what is no digit, is nothing", arguments: ["0", "0g", "0x10", " 0", "é"])
  func refused(text: String) {
    #expect(Hexadecimal.decoded(Array(text.utf8)[...]) == nil)
  }
}
