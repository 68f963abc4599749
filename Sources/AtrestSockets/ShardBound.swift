// SPDX-License-Identifier: Apache-2.0
// Lets a reference to something that lives on a shard travel through other threads.

/// Carries a value that may be used on one shard only. Any thread may hold it; reading it elsewhere
/// traps.
public struct ShardBound<Value>: @unchecked Sendable {
  // Sendable because `value` is reachable only through an accessor that checks the shard.
  private let bound: Value
  /// The shard on which the value lives.
  public let shard: Shard

  /// Binds `value` to `shard`. Call it on that shard.
  public init(_ value: Value, to shard: Shard) {
    shard.preconditionOnShard()
    bound = value
    self.shard = shard
  }

  /// Binds a value made elsewhere, which its maker gives up.
  public init(sending value: sending Value, to shard: Shard) {
    bound = value
    self.shard = shard
  }

  /// The value. Traps off the shard.
  public var value: Value {
    shard.preconditionOnShard()
    return bound
  }
}
