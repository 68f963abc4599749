// SPDX-License-Identifier: Apache-2.0
// Why a channel has no connection, with a message for the user.

import AtrestSockets
import AtrestTLS

/// Why a connection could not be opened, or why it ended.
enum ConnectionError: Error {
  case socket(SocketError)
  case tls(TLSError)

  var userMessage: String {
    switch self {
    case .socket(let error): error.userMessage
    case .tls(let error): error.userMessage
    }
  }

  /// Whether another address of the same server is worth trying.
  var allowsOtherAddress: Bool {
    switch self {
    case .socket: true
    // Other TLS errors concern the server; another address's error could only hide them.
    case .tls(let error): error == .handshakeCut || error == .handshakeTimeout
    }
  }
}
