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

  /// What to tell people if an error of TLS is about who the server is; nil otherwise. The
  /// sentences are `TLSError`'s, as far as NIOSSL says why.
  func sentence(distrusting error: any Error) -> String? {
    switch error {
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      """
      The server's certificate is not for “\(host.prefix(120))”. Check the address; if it is \
      right, the server's owner has to get a certificate for this name.
      """
    case NIOSSLError.handshakeFailed(.sslError(let stack)) where stack.contains { $0.isAboutTrust }:
      switch proof {
      case .certificate:
        """
        The server's certificate is not the one this device was paired with. Somebody may be \
        listening in on this network, or the server has a new certificate: ask its owner, then \
        pair again.
        """
      case .authority, .none:
        """
        The server's certificate is not valid, or nobody this device trusts has signed it. Check \
        the date of this device, or use a pairing link, which carries the certificate's fingerprint.
        """
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
