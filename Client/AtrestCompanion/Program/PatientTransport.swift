// SPDX-License-Identifier: Apache-2.0
// Says on a terminal that a command waits for the server.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestSync
import AtrestWire
import Synchronization

/// A transport that says when an answer is late.
final class PatientTransport: ClientTransport {
  /// How long a call may take before the notice.
  private static let patience = Duration.seconds(10)
  /// Calls that may take longer wait for a person, and say so themselves.
  private static let longestOrdinaryCall = Duration.seconds(30)

  private let inner: any ClientTransport
  private let server: ServerAddress

  init(_ inner: any ClientTransport, to server: ServerAddress) {
    self.inner = inner
    self.server = server
  }

  func unary(
    _ method: String, _ message: [UInt8], credential: String?, timeout: Duration
  ) async throws(CallFailure) -> [UInt8] {
    guard timeout <= Self.longestOrdinaryCall else {
      return try await inner.unary(method, message, credential: credential, timeout: timeout)
    }
    let endpoint = server.endpoint.escapedForTerminal
    let state = Mutex((isTold: false, isOver: false))
    let notice = Task {
      try await Task.sleep(for: Self.patience)
      state.withLock { state in
        guard !state.isOver else { return }
        state.isTold = true
        Terminal.progress(
          Language.text("Waiting for \(endpoint)", de: "\(endpoint) hat noch nicht geantwortet"))
      }
    }
    defer {
      notice.cancel()
      state.withLock { state in
        state.isOver = true
        if state.isTold { Terminal.progress("") }
      }
    }
    return try await inner.unary(method, message, credential: credential, timeout: timeout)
  }

  func serverStream(
    _ method: String, _ message: [UInt8], credential: String?,
    receive: @Sendable ([UInt8]) async -> Bool
  ) async throws(CallFailure) {
    try await inner.serverStream(method, message, credential: credential, receive: receive)
  }

  func close() async { await inner.close() }
}

extension Connector {
  /// The platform's, for people who wait at a terminal.
  static let patient = Connector { server throws(SyncError) in
    PatientTransport(try Connector.platform.connect(server), to: server)
  }
}
