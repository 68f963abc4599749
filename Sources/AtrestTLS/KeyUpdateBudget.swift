// SPDX-License-Identifier: Apache-2.0
// Limits a peer's KeyUpdate messages.

import CAtrestOpenSSL

/// Counts a peer's KeyUpdates. Each costs OpenSSL a handshake's key schedule, for five bytes on the
/// wire.
///
/// A peer has 32 free, plus one per 64 KiB of data. RFC 8446, section 5.5, requires one after some
/// 24 million records; a few peers send one an hour.
final class KeyUpdateBudget {
  private static let free = 32
  private static let bytesPerUpdate = 64 * 1024

  /// The counter for OpenSSL's callback, which cannot reference a Swift object.
  private let spent = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
  private var dataBytes = 0

  init() { spent.initialize(to: 0) }

  deinit { spent.deallocate() }

  /// Whether the peer updates its keys too often.
  var isOverspent: Bool { Int(spent.pointee) > Self.free + dataBytes / Self.bytesPerUpdate }

  /// Starts counting for a session. This object must outlive it.
  func watch(_ session: OpaquePointer) { atrest_count_key_updates(session, spent) }

  /// Records received data.
  func earn(_ bytes: Int) { dataBytes += bytes }
}
