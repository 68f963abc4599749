// SPDX-License-Identifier: Apache-2.0
// Keeps one connection for all calls of a replica.

import AtrestSync
import Synchronization

/// The connection to a replica's server: opened when first needed, kept, and opened anew after a
/// failure that it does not survive. Shared by all views of a replica.
final class ReplicaConnection: Sendable {
  private struct Open {
    let server: ServerAddress
    let transport: any ClientTransport
  }

  private let connector: Connector
  private let open = Mutex<Open?>(nil)

  init(_ connector: Connector) { self.connector = connector }

  /// The transport to a server. One to another server, from before the replica was paired anew,
  /// ends with its last call.
  func transport(to server: ServerAddress) throws(SyncError) -> any ClientTransport {
    try open.withLock { open throws(SyncError) in
      if let open, open.server == server { return open.transport }
      let transport = try connector.connect(server)
      open = Open(server: server, transport: transport)
      return transport
    }
  }

  /// The next call opens another connection. Calls on this one go on.
  func discard(_ transport: any ClientTransport) {
    open.withLock { open in
      if open?.transport === transport { open = nil }
    }
  }

  func close() async {
    let transport = open.withLock { open in
      defer { open = nil }
      return open?.transport
    }
    await transport?.close()
  }
}
