// SPDX-License-Identifier: Apache-2.0
// What the owner should change about how the server is run.

import Logging
import Synchronization

/// Warnings that hold until the server stops: each is logged when it is first raised, and `status`
/// lists them. Thread-safe.
package final class StandingWarnings: Sendable {
  /// What a warning is about. Each is raised once.
  package enum Topic: Int, Sendable {
    case openFiles, advertisedAddress, untrustedProxy, silentProxy
  }

  private let texts = Mutex<[Topic: String]>([:])
  private let logger: Logger

  package init(logger: Logger) { self.logger = logger }

  /// Logs the warning and keeps it, unless there is one of its topic already.
  package func raise(_ topic: Topic, _ text: String) {
    let isNew = texts.withLock { texts in
      guard texts[topic] == nil else { return false }
      texts[topic] = text
      return true
    }
    if isNew { logger.warning("\(text)") }
  }

  /// All of them, in the order of their topics.
  package var all: [String] {
    texts.withLock { $0 }.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
  }
}
