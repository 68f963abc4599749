// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// Logs each record that cannot be read once. Thread-safe.
final class UnreadableLog: Sendable {
  /// Lines in one run of the server.
  private static let limit = 1000

  private let logger: Logger
  private let named = Mutex<Set<UnreadableRecord>>([])

  init(_ logger: Logger) {
    self.logger = logger
  }

  func report(_ records: [UnreadableRecord]) {
    for record in records {
      let isNew = named.withLock { $0.count < Self.limit && $0.insert(record).inserted }
      guard isNew else { continue }
      logger.error(
        """
        A stored record cannot be read: the disk damaged it. It is left out, and the rest is served. Check the disk, and put a backup \
        back if the record is to be had again.
        """,
        metadata: [
          "account": "\(record.account.rawValue)",
          "kind": "\(record.kind.map { "\($0.rawValue)" } ?? "unknown")",
          "sequence": "\(record.sequence)",
        ])
    }
  }
}
