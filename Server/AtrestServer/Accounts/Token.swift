// SPDX-License-Identifier: Apache-2.0
// The secret that stands for a device in every call: how it is written, kept and compared.

import AtrestReplication
import Crypto

/// A device's token: its replica identity, which is public, and 256 random bits, which are not.
struct Token {
  static let secretBytes = 32

  let replica: ReplicaID
  let secret: [UInt8]

  init(replica: ReplicaID, secret: [UInt8]) {
    self.replica = replica
    self.secret = secret
  }

  /// Reads the value of the `authorization` metadata, `Bearer` and 80 hexadecimal digits; nil for
  /// all else.
  init?(authorization bytes: ArraySlice<UInt8>) {
    let scheme = Array("bearer ".utf8)
    guard bytes.count == scheme.count + 16 + 2 * Self.secretBytes else { return nil }
    // The name of a scheme is case-insensitive: RFC 9110, section 11.1.
    for (byte, expected) in zip(bytes, scheme) where byte | 0x20 != expected { return nil }
    let digits = bytes.dropFirst(scheme.count)
    guard let octets = Hexadecimal.decoded(digits) else { return nil }
    replica = ReplicaID(rawValue: octets[..<8].reduce(0) { $0 << 8 | UInt64($1) })
    secret = Array(octets[8...])
  }

  /// The secret of the device that a request to renew another one makes: the same for the same
  /// request.
  ///
  /// HMAC-SHA256 under the nonce, of the other device's identity and of the hash of its token.
  /// Whoever knows neither the nonce nor that token cannot compute it, and a nonce that was badly
  /// drawn leaves it as good as that token.
  static func secret(renewing device: DeviceEntry, nonce: [UInt8]) -> [UInt8] {
    var hash = HMAC<SHA256>(key: SymmetricKey(data: nonce))
    hash.update(data: Array("atrest renew 1".utf8))
    withUnsafeBytes(of: device.replica.rawValue.bigEndian) { hash.update(data: $0) }
    hash.update(data: device.tokenHash)
    return Array(hash.finalize())
  }

  /// The secret of the device that a request to pair makes: the same for the same request.
  ///
  /// HMAC-SHA256 under the nonce, of the code. Whoever saw the code cannot compute it without the
  /// nonce.
  static func secret(pairing code: PairingCode, nonce: [UInt8]) -> [UInt8] {
    var hash = HMAC<SHA256>(key: SymmetricKey(data: nonce))
    hash.update(data: Array("atrest pair 1".utf8))
    hash.update(data: Array((code.handle + code.secret).utf8))
    return Array(hash.finalize())
  }

  /// What the device keeps.
  var text: String {
    Hexadecimal.encoded(withUnsafeBytes(of: replica.rawValue.bigEndian) { Array($0) } + secret)
  }

  /// What the server keeps. One round of SHA-256 is enough for a secret of full strength.
  var hash: [UInt8] { Secret.hash(secret) }
}

/// How secrets are kept and compared.
enum Secret {
  static func hash(_ secret: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(data: secret))
  }

  /// Compares in a time that does not tell where the first difference is.
  static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for index in a.indices { difference |= a[index] ^ b[index] }
    return difference == 0
  }
}
