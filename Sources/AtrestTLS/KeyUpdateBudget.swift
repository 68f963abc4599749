// SPDX-License-Identifier: Apache-2.0
// A rate limit for TLS 1.3 KeyUpdates.

import CAtrestOpenSSL

/// Counts a peer's KeyUpdates. Each one costs OpenSSL a key schedule and costs the peer five bytes.
///
/// A peer has 32 free updates, and then one per 64 KiB of data. RFC 8446, section 5.5, requires one
/// after about 24 million records. A few peers send one per hour.
/// 5.5, wants one after some 24 million records; a few peers send one an hour.
final class KeyUpdateBudget {
  private static let free = 32
  private static let bytesPerUpdate = 64 * 1024

  /// The counter for OpenSSL's callback, which cannot reference a Swift object.
  private let spent = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
  private var dataBytes = 0

  init() { spent.initialize(to: 0) }

  deinit { spent.deallocate() }

  /// Whether the peer updates its keys more often than any legitimate use requires.
  var isOverspent: Bool { Int(spent.pointee) > Self.free + dataBytes / Self.bytesPerUpdate }

  /// Starts counting for a session. This object must outlive it.
  func watch(_ session: OpaquePointer) { atrest_count_key_updates(session, spent) }

  /// Credits received data.
  func earn(_ bytes: Int) { dataBytes += bytes }
}
