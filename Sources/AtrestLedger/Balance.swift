// SPDX-License-Identifier: Apache-2.0
// Sums the bytes held at a place or for a payer.

import Synchronization

/// A balance of bytes: of a place that holds memory (a connection, a shard, a queue) or of a payer
/// that causes it (a device, an account, an address). Its bytes count for its parents too.
/// Thread-safe and lock-free.
public final class Balance: Sendable {
  private let parent: Balance?
  private let bytes = Atomic<Int>(0)

  /// Creates an empty balance, optionally under a parent.
  public init(under parent: Balance? = nil) {
    self.parent = parent
  }

  /// Bytes held here and below.
  public var chargedBytes: Int { bytes.load(ordering: .relaxed) }

  /// The outermost balance, such as a device's account; itself without a parent.
  public var root: Balance { parent?.root ?? self }

  /// Costs a few nanoseconds per level.
  func add(_ count: Int) {
    bytes.add(count, ordering: .relaxed)
    parent?.add(count)
  }
}
