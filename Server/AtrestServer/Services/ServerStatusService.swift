// SPDX-License-Identifier: Apache-2.0
// Tells the owner what the server is doing, without a store.

import AtrestHTTP2
import AtrestProtocol
import AtrestWire
import Synchronization

/// Answers `GetServerStatus`. Exists before the server whose report it gives.
final class ServerStatusService: Sendable {
  private let source = Mutex<(@Sendable () -> GetServerStatusResponse)?>(nil)

  /// Says where the state comes from, once there is one.
  func report(from source: @escaping @Sendable () -> GetServerStatusResponse) {
    self.source.withLock { $0 = source }
  }

  /// The server's state.
  /// - Throws: `Status` if the request cannot be read, or the server is not complete yet.
  func status(_ bytes: [UInt8]) throws(Status) -> [UInt8] {
    _ = try decoded(EmptyMessage.self, bytes)
    guard let source = source.withLock({ $0 }) else { throw .goingAway }
    return source().packed
  }
}
