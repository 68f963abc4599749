// SPDX-License-Identifier: Apache-2.0
// How a server proves to devices who it is.

import AtrestSockets
import AtrestTLS
import Glibc

/// What connections are encrypted with.
package enum Encryption: Sendable {
  /// Nothing: for a listener that other machines cannot reach.
  case none
  /// A key and certificate of the server's own, made at the first start and kept in the data
  /// folder. Devices know it by its fingerprint, which pairing links carry.
  case own
  /// A certificate for the server's name that an authority signed, and its key: PEM files. Devices
  /// check name and chain.
  case files(certificate: String, key: String)

  /// The file in the data folder that holds the server's own key and certificate.
  package static func identityPath(in directory: String) -> String { directory + "/identity.pem" }

  /// Loads or makes what a listener needs; nil for none. Holding the folder's lock.
  func identity(in directory: String) throws(TLSFileError) -> ServerIdentity? {
    switch self {
    case .none: nil
    case .own: try ServerIdentity.loadOrMake(file: Self.identityPath(in: directory))
    case .files(let certificate, let key):
      try ServerIdentity.load(certificateFile: certificate, keyFile: key)
    }
  }

  /// The key file, and its mode, if every user of the machine can read or change it: then its
  /// certificate proves nothing. A group may, as one that holds a machine's keys.
  var openKey: (path: String, mode: String)? {
    guard case .files(_, let key) = self else { return nil }
    var status = stat()
    guard stat(key, &status) == 0, status.st_mode & 0o006 != 0 else { return nil }
    return (key, String(status.st_mode & 0o777, radix: 8))
  }

  /// What follows the address in a pairing link. Where a server that does not encrypt is called
  /// from elsewhere, a proxy does, with a certificate that an authority signed.
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
