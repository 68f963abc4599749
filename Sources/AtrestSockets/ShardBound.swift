// SPDX-License-Identifier: Apache-2.0
// Lets references to shard-bound values pass through other threads.

/// Wraps a value that may be used on one shard only. Any thread may hold it. Reading it elsewhere
/// traps.
public struct ShardBound<Value>: @unchecked Sendable {
  // Sendable: `value` is accessible only through an accessor that checks the shard.
  private let bound: Value
  /// The shard to which the value is bound.
  public let shard: Shard

  /// Binds `value` to `shard`. Call it on that shard.
  public init(_ value: Value, to shard: Shard) {
    shard.preconditionOnShard()
    bound = value
    self.shard = shard
  }

  /// Binds a value that was created elsewhere and is given up by its creator.
  public init(sending value: sending Value, to shard: Shard) {
    bound = value
    self.shard = shard
  }

  /// The value. Traps unless the caller runs on the shard.
  public var value: Value {
    shard.preconditionOnShard()
    return bound
  }
}
