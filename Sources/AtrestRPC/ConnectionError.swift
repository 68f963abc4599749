// SPDX-License-Identifier: Apache-2.0
// Says why a channel has no connection, in a sentence for a person.

import AtrestSockets
import AtrestTLS

/// What kept a connection from being made, or ended it.
enum ConnectionError: Error {
  case socket(SocketError)
  case tls(TLSError)

  var userMessage: String {
    switch self {
    case .socket(let error): error.userMessage
    case .tls(let error): error.userMessage
    }
  }

  /// Whether another address of the same server may do better.
  var allowsOtherAddress: Bool {
    switch self {
    case .socket: true
    // Anything else is about the server, and what the next address says could only hide it.
    case .tls(let error): error == .handshakeCut || error == .handshakeTimeout
    }
  }
}
