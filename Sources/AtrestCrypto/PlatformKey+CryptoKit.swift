// SPDX-License-Identifier: Apache-2.0
// Verifies with CryptoKit, where Apple's platforms have no OpenSSL.

#if canImport(CryptoKit)
  import CryptoKit
  import Foundation

  /// One of CryptoKit's keys.
  enum PlatformKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)

    /// Creates a key; nil unless the point is on the curve.
    init?(_ curve: EllipticCurve, point: [UInt8]) {
      do {
        switch curve {
        case .p256: self = .p256(try .init(x963Representation: point))
        case .p384: self = .p384(try .init(x963Representation: point))
        case .p521: self = .p521(try .init(x963Representation: point))
        }
      } catch {
        return nil
      }
    }

    /// Whether the key made this signature.
    func isValid(_ signature: [UInt8], of message: [UInt8], hash: SignatureHash) -> Bool {
      switch hash {
      case .sha256: isValid(signature, for: CryptoKit.SHA256.hash(data: message))
      case .sha384: isValid(signature, for: CryptoKit.SHA384.hash(data: message))
      case .sha512: isValid(signature, for: CryptoKit.SHA512.hash(data: message))
      }
    }

    private func isValid(_ signature: [UInt8], for digest: some Digest) -> Bool {
      do {
        return switch self {
        case .p256(let key):
          key.isValidSignature(try .init(derRepresentation: signature), for: digest)
        case .p384(let key):
          key.isValidSignature(try .init(derRepresentation: signature), for: digest)
        case .p521(let key):
          key.isValidSignature(try .init(derRepresentation: signature), for: digest)
        }
      } catch {
        return false
      }
    }
  }
#endif
