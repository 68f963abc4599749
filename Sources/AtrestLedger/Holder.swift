// SPDX-License-Identifier: Apache-2.0
// Sums charged bytes per place and per payer.

import Synchronization

/// A balance of bytes: of a place that holds memory (a connection, a shard, a queue), or of a payer
/// (a device, an account, an address). A holder's bytes also count for its parents. Thread-safe and
/// lock-free.
public final class Holder: Sendable {
  private let parent: Holder?
  private let bytes = Atomic<Int>(0)

  /// Creates an empty balance.
  public init(under parent: Holder? = nil) {
    self.parent = parent
  }

  /// The bytes charged here and to all holders under this one.
  public var chargedBytes: Int { bytes.load(ordering: .relaxed) }

  /// The outermost holder, for example a device's account. Itself if it has no parent.
  public var root: Holder { parent?.root ?? self }

  /// Takes a few nanoseconds per level.
  func add(_ count: Int) {
    bytes.add(count, ordering: .relaxed)
    parent?.add(count)
  }
}
