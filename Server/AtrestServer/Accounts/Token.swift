// SPDX-License-Identifier: Apache-2.0
// The bearer token of a device: derivation, hashing, comparison.

import AtrestCrypto
import AtrestReplication

/// A device's token: its public replica identity and 256 secret random bits.
package struct Token: Sendable {
  static let secretBytes = 32

  let replica: ReplicaID
  let secret: [UInt8]

  init(replica: ReplicaID, secret: [UInt8]) {
    self.replica = replica
    self.secret = secret
  }

  /// The secret of the device that a Renew request creates. Deterministic, so a repeated request
  /// gets the same token.
  ///
  /// HMAC-SHA256, keyed with the nonce, over the calling device's identity and the hash of its
  /// token. Computing it takes both the nonce and that token. With a weak nonce it is still as
  /// strong as that token.
  static func secret(renewing device: DeviceEntry, nonce: [UInt8]) -> [UInt8] {
    var message = Array("atrest renew 1".utf8)
    withUnsafeBytes(of: device.replica.rawValue.bigEndian) { message.append(contentsOf: $0) }
    return HMAC.sha256(message + device.tokenHash, key: nonce)
  }

  /// The secret of the device that a Pair request creates. Deterministic, so a repeated request
  /// gets the same token.
  ///
  /// HMAC-SHA256, keyed with the nonce, over the code. The code alone does not suffice to compute
  /// it.
  static func secret(pairing code: PairingCode, nonce: [UInt8]) -> [UInt8] {
    HMAC.sha256(Array(("atrest pair 1" + code.handle + code.secret).utf8), key: nonce)
  }

  /// The form that the server stores. A single SHA-256 suffices for a 256-bit random secret.
  var hash: [UInt8] { Secret.hash(secret) }
}

/// Hashing and comparison of secrets.
enum Secret {
  static func hash(_ secret: [UInt8]) -> [UInt8] {
    SHA256.hash(secret)
  }

  /// Compares in constant time for equal lengths.
  static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for index in a.indices { difference |= a[index] ^ b[index] }
    return difference == 0
  }
}
