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
    /// Whether a call on it was answered.
    var hasAnswered = false
  }

  private struct State {
    var open: Open?
    /// The server that was called last.
    var server: ServerAddress?
    /// How long calls have waited on connections on which nothing was ever answered, since the last
    /// answer.
    var silence = Duration.zero
  }

  /// The longest silence that a command waits for. Two attempts to connect take about as long.
  private static let patience = Duration.seconds(20)

  private let connector: Connector
  private let state = Mutex(State())

  init(_ connector: Connector) { self.connector = connector }

  /// The transport to a server. One to another server, from before the replica was paired anew,
  /// ends with its last call.
  func transport(to server: ServerAddress) throws(SyncError) -> any ClientTransport {
    try state.withLock { state throws(SyncError) in
      if let open = state.open, open.server == server { return open.transport }
      // What one server owed is nothing against another.
      if state.server != server { state.silence = .zero }
      state.server = server
      let transport = try connector.connect(server)
      state.open = Open(server: server, transport: transport)
      return transport
    }
  }

  /// Notes that a call was answered.
  func answered(_ transport: any ClientTransport) {
    state.withLock { state in
      state.silence = .zero
      if state.open?.transport === transport { state.open?.hasAnswered = true }
    }
  }

  /// Notes that a call was not answered. A connection on which calls were answered before may be
  /// one that only this side takes for open: another one is worth trying.
  ///
  /// - Parameter isDiscarded: Whether the next call opens another connection. Calls on this one go
  ///   on.
  /// - Returns: Whether the server has been silent for too long to ask again in the same command.
  func unanswered(
    _ transport: any ClientTransport, for time: Duration, isDiscarded: Bool
  ) -> Bool {
    state.withLock { state in
      let isCurrent = state.open?.transport === transport
      if isCurrent, state.open?.hasAnswered == true {
        // What follows may be asked on another connection of the same transport.
        state.open?.hasAnswered = false
      } else {
        state.silence += time
      }
      if isCurrent, isDiscarded { state.open = nil }
      // An attempt that fails at once may be repeated: it costs no time.
      return time >= .seconds(1) && state.silence >= Self.patience
    }
  }

  func close() async {
    let transport = state.withLock { state in
      defer { state.open = nil }
      return state.open?.transport
    }
    await transport?.close()
  }
}
