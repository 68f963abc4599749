// SPDX-License-Identifier: Apache-2.0
// A server's address and the way to authenticate it.

import AtrestSync
import AtrestTrust

/// A server's address as written in a pairing link and stored in the replica.
///
/// `HOST:PORT/` and the certificate's SHA-256 in hexadecimal; `HOST:PORT/ca` for a certificate
/// signed by one of this machine's authorities; `HOST:PORT` alone for plaintext on the loopback
/// interface.
public struct ServerAddress: Hashable, Sendable {
  /// How the server authenticates.
  public enum Proof: Hashable, Sendable {
    /// Not at all: plaintext on this machine.
    case none
    /// With exactly this certificate.
    case certificate(CertificateFingerprint)
    /// With a certificate for the host's name, signed by an authority that this machine trusts.
    case authority
  }

  /// `HOST:PORT`; an IPv6 address is in brackets.
  public let endpoint: String
  /// The endpoint's port.
  public let port: UInt16
  /// How the server authenticates.
  public let proof: Proof

  /// Parses an address.
  ///
  /// - Throws: `.notEncrypted` for plaintext to another machine, and the `Failure` that names a
  ///   malformed part.
  public init(parsing text: String) throws(PairingLink.Failure) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let host: String
    (host, port) = try ServerAddress.split(parts.first.map(String.init) ?? "")
    endpoint = "\(host):\(port)"
    if parts.count < 2 {
      guard ServerAddress.isLoopback(host) else { throw .notEncrypted }
      proof = .none
    } else if parts[1].lowercased() == "ca" {
      proof = .authority
    } else if let fingerprint = CertificateFingerprint(parsing: String(parts[1])) {
      proof = .certificate(fingerprint)
    } else {
      throw .badCertificate
    }
  }

  /// The address as text, the inverse of `init(parsing:)`.
  public var text: String {
    switch proof {
    case .none: endpoint
    case .certificate(let fingerprint): "\(endpoint)/\(fingerprint)"
    case .authority: "\(endpoint)/ca"
    }
  }

  /// The endpoint's host: a name, or an address without brackets.
  public var host: String {
    endpoint[..<(endpoint.lastIndex(of: ":") ?? endpoint.endIndex)].filter { !"[]".contains($0) }
  }

  private static func split(
    _ server: String
  ) throws(PairingLink.Failure) -> (host: String, port: UInt16) {
    guard let colon = server.lastIndex(of: ":") else { throw .badServer }
    let host = server[..<colon].lowercased()
    let digits = server[server.index(after: colon)...].utf8
    guard (1...5).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
      let port = UInt16(String(Substring(digits))), port > 0, !host.isEmpty,
      host.utf8.count <= 255, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .badServer }
    return (host, port)
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy {
        $0.utf8.allSatisfy { (48...57).contains($0) } && UInt8($0) != nil && $0.utf8.count <= 3
      }
  }
}

extension ReplicaState {
  /// The server's `HOST:PORT`, for people.
  var endpoint: String? {
    server.map { (try? ServerAddress(parsing: $0))?.endpoint ?? $0 }
  }
}
