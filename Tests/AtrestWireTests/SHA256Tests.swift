// SPDX-License-Identifier: Apache-2.0
// Our SHA-256 is that of the standard, and the one that the server uses.

import AtrestCrypto
import AtrestProtocol
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@Suite("SHA-256", .timeLimit(.minutes(20)))
struct SHA256Tests {
  /// Source: NIST, examples of FIPS 180-4.
  @Test(
    "has the standard's values",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq"
          + "klmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
    ])
  func standard(text: String, hash: String) {
    #expect(Hexadecimal.encoded(PortableSHA256.hash(Array(text.utf8))) == hash)
  }

  @Test("of a million letters a has the standard's value")
  func long() {
    let hash = PortableSHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
    #expect(
      Hexadecimal.encoded(hash)
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("is the server's, for every length around a block")
  func everyLength() {
    for count in 0...200 {
      let bytes = [UInt8](repeating: UInt8(count), count: count)
      #expect(PortableSHA256.hash(bytes) == SHA256.hash(bytes))
    }
  }

  @Test("gives client and server the same fingerprint of a record")
  func fingerprints() {
    checkLaw(cases: 2_000) { random in
      let count = Int.random(in: 0...400, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      return Fingerprint.hash(ofRecord: bytes) == Fingerprint.fastHash(ofRecord: bytes)
    }
  }
}
