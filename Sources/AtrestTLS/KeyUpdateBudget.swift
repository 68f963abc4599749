// SPDX-License-Identifier: Apache-2.0
// How often a peer may change its keys.

import CAtrestOpenSSL

/// Counts a peer's KeyUpdates: each costs OpenSSL what a handshake's key schedule does, and five
/// bytes on the wire ask for one.
///
/// A peer has 32, whatever else it sends, and then one for each 64 KiB of data. RFC 8446, section
/// 5.5, wants one after some 24 million records; a few peers send one an hour.
final class KeyUpdateBudget {
  private static let free = 32
  private static let bytesPerUpdate = 64 * 1024

  /// Where OpenSSL's callback counts, which knows no Swift object.
  private let spent = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
  private var dataBytes = 0

  init() { spent.initialize(to: 0) }

  deinit { spent.deallocate() }

  /// Whether the peer changes its keys more often than anybody needs to.
  var isOverspent: Bool { Int(spent.pointee) > Self.free + dataBytes / Self.bytesPerUpdate }

  /// Begins to count a session's. This object must outlive it.
  func watch(_ session: OpaquePointer) { atrest_count_key_updates(session, spent) }

  /// Notes data that came.
  func earn(_ bytes: Int) { dataBytes += bytes }
}
