// SPDX-License-Identifier: Apache-2.0
// HMAC-SHA256 is that of the standard.

import AtrestCrypto
import Testing

@Suite("HMAC-SHA256", .timeLimit(.minutes(20)))
struct HMACTests {
  /// Source: RFC 4231, section 4.
  @Test(
    "has the standard's values",
    arguments: [
      (
        [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func standard(key: [UInt8], message: String, code: String) {
    #expect(hexadecimal(HMAC.sha256(Array(message.utf8), key: key)) == code)
  }

  @Test("takes no bytes, of a message and of a key")
  func empty() {
    #expect(
      hexadecimal(HMAC.sha256([], key: []))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }
}

/// Lower-case digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
