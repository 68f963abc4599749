// SPDX-License-Identifier: Apache-2.0
// Adds up what is held: for whom, and where.

import Synchronization

/// A balance of bytes: of a place that holds memory (a connection, a shard, a queue), or of a payer
/// who causes it (a device, an account, an address). What it holds, those that it is under hold as
/// well. Thread-safe, without locks.
public final class Holder: Sendable {
  private let parent: Holder?
  private let bytes = Atomic<Int>(0)

  /// A balance of nothing.
  public init(under parent: Holder? = nil) {
    self.parent = parent
  }

  /// What is held here and under it, in bytes.
  public var chargedBytes: Int { bytes.load(ordering: .relaxed) }

  /// The outermost holder: a device's account, for example; itself, if it is under nobody.
  public var root: Holder { parent?.root ?? self }

  /// A few nanoseconds for each level.
  func add(_ count: Int) {
    bytes.add(count, ordering: .relaxed)
    parent?.add(count)
  }
}
