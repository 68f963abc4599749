// SPDX-License-Identifier: Apache-2.0
// Where a server is, and which certificate proves that it is the one.

import AtrestClient
import Crypto
import GRPCNIOTransportHTTP2Posix
import NIOCore
import NIOSSL

extension ServerAddress {
  /// What grpc-swift connects to. A name is resolved; an address is not, because it must not be
  /// sent as the name of TLS.
  var target: any ResolvableTarget {
    let port = Int(port)
    return switch try? NIOCore.SocketAddress(ipAddress: host, port: port) {
    case .v4: .ipv4(address: host, port: port)
    case .v6: .ipv6(address: host, port: port)
    case .unixDomainSocket, nil: .dns(host: host, port: port)
    }
  }

  /// How the connection is encrypted, and whom it believes.
  var security: HTTP2ClientTransport.Posix.TransportSecurity {
    switch proof {
    case .none: .plaintext
    case .authority: .tls
    case .certificate(let fingerprint):
      .tls { tls in
        // The callback replaces the check of the chain. The certificate is the proof, whatever its
        // name. Without the callback no chain would do: no authority is trusted.
        tls.serverCertificateVerification = .noHostnameVerification
        tls.trustRoots = .certificates([])
        tls.customVerificationCallback = { chain, verdict in
          verdict.succeed(
            fingerprint.isOf(chain.first)
              ? .certificateVerified(VerificationMetadata(nil)) : .failed)
        }
      }
    }
  }

  /// What to tell people if an error of TLS is about who the server is; nil otherwise. NIOSSL does
  /// not say which check of a chain failed.
  func sentence(distrusting error: any Error) -> String? {
    switch error {
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      ServerDistrust.wrongName(host).userMessage
    case NIOSSLError.handshakeFailed(.sslError(let stack)) where stack.contains { $0.isAboutTrust }:
      switch proof {
      case .certificate: ServerDistrust.pinMismatch.userMessage
      case .authority, .none: ServerDistrust.unknownIssuer.userMessage
      }
    default: nil
    }
  }
}

extension CertificateFingerprint {
  fileprivate func isOf(_ certificate: NIOSSLCertificate?) -> Bool {
    guard let bytes = try? certificate?.toDERBytes() else { return false }
    return SHA256.hash(data: bytes) == self.bytes
  }
}

extension BoringSSLInternalError {
  /// BoringSSL's SSL_R_CERTIFICATE_VERIFY_FAILED, which NIOSSL shows in the description alone.
  fileprivate var isAboutTrust: Bool { description.contains("CERTIFICATE_VERIFY_FAILED") }
}
