// SPDX-License-Identifier: Apache-2.0
// SHA-256 is that of the standard, in pieces as at once, and a hash under way is a value.
// AtrestWireTests compares it with the one of the portable core.

import AtrestCrypto
import AtrestTestSupport
import Testing

@Suite("A SHA-256", .timeLimit(.minutes(20)))
struct SHA256Tests {
  /// Source: NIST, examples of FIPS 180-4.
  @Test(
    "has the standard's value",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func standard(text: String, hash: String) {
    #expect(hexadecimal(SHA256.hash(Array(text.utf8))) == hash)
  }

  @Test("does not depend on the pieces in which the bytes come")
  func pieces() {
    checkLaw(cases: 500) { random in
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      var hash = SHA256()
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 0...100, using: &random)
        if Bool.random(using: &random) {
          hash.update(rest.prefix(count))
        } else {
          hash.update(Array(rest.prefix(count)))
        }
        rest = rest.dropFirst(count)
      }
      return hash.finalized() == SHA256.hash(bytes)
    }
  }

  @Test("under way is a value: a copy goes on alone, and a result ends nothing")
  func copies() {
    var a = SHA256()
    a.update(Array("ab".utf8))
    var b = a
    let c = ["a": a]
    a.update(Array("c".utf8))
    b.update(Array("d".utf8))
    #expect(a.finalized() == SHA256.hash(Array("abc".utf8)))
    #expect(b.finalized() == SHA256.hash(Array("abd".utf8)))
    #expect(c["a"]?.finalized() == SHA256.hash(Array("ab".utf8)))
    a.update(Array("d".utf8))
    #expect(a.finalized() == SHA256.hash(Array("abcd".utf8)))
  }

  @Test("takes a number as its bytes, the most significant one first")
  func number() {
    var hash = SHA256()
    hash.update(bigEndian: 0x0102_0304_0506_0708)
    #expect(hash.finalized() == SHA256.hash([1, 2, 3, 4, 5, 6, 7, 8]))
  }

  @Test("begins with the word that stands for it")
  func firstWord() {
    let bytes: [UInt8] = Array("abc".utf8)
    let word = SHA256.hash(bytes).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    #expect(SHA256.firstWord(of: bytes) == word)
  }
}
