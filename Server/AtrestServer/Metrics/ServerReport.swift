// SPDX-License-Identifier: Apache-2.0
// What a server is doing at the moment.

import AtrestRPC
import AtrestReplication

/// A snapshot. Its parts are not of the same instant.
package struct ServerReport: Sendable {
  /// Calls and connections of devices.
  package var calls: ServerStatistics
  /// Bytes that peers make connections buffer.
  package var heldBytes: Int
  /// Fixed memory of connections, in bytes.
  package var connectionBytes: Int
  /// Bytes of jobs that wait for the store.
  package var queueBytes: Int
  /// Open streams of changes.
  package var watchers: Int
  /// Accounts and devices in memory.
  package var accounts: Int
  package var devices: Int
  /// Free bytes of the data folder's disk. Nil: unknown.
  package var diskFreeBytes: UInt64?
  /// Whether writes are refused for want of room there.
  package var isDiskFull: Bool
  /// The end of the certificate's validity in seconds since 1970. Nil without encryption.
  package var certificateEnd: Int?
  /// Whether the store takes writes and the server is not stopping.
  package var isServing: Bool
  /// How long writes of the store that does worst have gone without an acknowledgement. Zero while
  /// none waits for one, and of a file.
  package var writeSilence: Duration
  /// Databases, by number: their timelines, where they tell.
  package var timelines: [CellNumber: UInt32]
  /// Stores that take no calls at the moment.
  package var unusableStores: Int
  /// Databases at which other daemons are not heard.
  package var deafStores: Int
  /// Whether the clock cannot be relied on.
  package var isClockDoubtful: Bool
}
