// SPDX-License-Identifier: Apache-2.0
// Lets references to shard-confined objects pass through other threads.

/// Wraps a value confined to one shard. Any thread may hold it; accessing the value elsewhere
/// traps.
public struct ShardBound<Value>: @unchecked Sendable {
  // Sendable: `value` is reachable only through an accessor that checks the shard.
  private let bound: Value
  /// The shard of the value.
  public let shard: Shard

  /// Binds `value` to `shard`. Call it on that shard.
  public init(_ value: Value, to shard: Shard) {
    shard.preconditionOnShard()
    bound = value
    self.shard = shard
  }

  /// Binds a value created elsewhere, whose creator transfers it.
  public init(sending value: sending Value, to shard: Shard) {
    bound = value
    self.shard = shard
  }

  /// The value. Traps if read off the shard.
  public var value: Value {
    shard.preconditionOnShard()
    return bound
  }
}
