// SPDX-License-Identifier: Apache-2.0
// How a server authenticates itself to devices.

import AtrestSockets
import AtrestTLS
import Glibc

/// The source of the server's certificate.
package enum Encryption: Sendable {
  /// No encryption. For a listener that other machines cannot reach.
  case none
  /// The server's own key and certificate, generated at the first start and kept in the data
  /// directory. Devices pin its fingerprint, which pairing links carry.
  case own
  /// A CA-signed certificate for the server's name, and its key, as PEM files. Devices verify name
  /// and chain.
  case files(certificate: String, key: String)

  /// The file in the data directory that contains the server's own key and certificate.
  package static func identityPath(in directory: String) -> String { directory + "/identity.pem" }

  /// Loads or generates the listener's identity. Nil for `none`. Requires the directory's lock.
  ///
  /// - Parameter hosts: What a certificate that is generated names.
  func identity(
    in directory: String, for hosts: [String]
  ) throws(TLSFileError) -> ServerIdentity? {
    switch self {
    case .none: nil
    case .own: try ServerIdentity.loadOrMake(file: Self.identityPath(in: directory), for: hosts)
    case .files(let certificate, let key):
      try ServerIdentity.load(certificateFile: certificate, keyFile: key)
    }
  }

  /// The key file and its mode if every user of the machine can read or write it. Then its
  /// certificate proves nothing. Access by a group is accepted, as machines have a group for keys.
  var openKey: (path: String, mode: String)? {
    guard case .files(_, let key) = self else { return nil }
    var status = stat()
    guard stat(key, &status) == 0, status.st_mode & 0o006 != 0 else { return nil }
    return (key, String(status.st_mode & 0o777, radix: 8))
  }

  /// The part of a pairing link after the address. If an unencrypted server is reached from other
  /// machines, a proxy terminates TLS with a CA-signed certificate.
  func linkPart(of address: String, _ identity: ServerIdentity?) -> String {
    switch (self, identity) {
    case (.files, _): "/ca"
    case (.own, let identity?): "/\(identity.fingerprint)"
    case (.own, nil), (.none, _): Self.isLoopback(address) ? "" : "/ca"
    }
  }

  private static func isLoopback(_ text: String) -> Bool {
    switch try? Endpoint(parsing: text) {
    case .address(let address): address.isLoopback
    case .host(let name, _): name.lowercased() == "localhost"
    case nil: false
    }
  }
}
