// SPDX-License-Identifier: Apache-2.0
// What a server says of itself: its version, its limits, what it can do.

import AtrestReplication

/// A server's version, limits and capabilities.
public struct ServerInfo: Hashable, Sendable {
  /// Something that not every server can do. Later versions know more.
  public struct Capability: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt32

    /// Creates a capability from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
  }

  /// The program's version, for people and reports.
  public var version: String
  /// The server's clock.
  public var serverTime: WallTime
  /// What the server lets an account store and send.
  public var limits: AccountLimits
  /// What the server can do, ascending, unknown numbers included.
  public var capabilities: [Capability]

  /// Creates a description from its fields.
  public init(
    version: String, serverTime: WallTime, limits: AccountLimits, capabilities: [Capability]
  ) {
    self.version = version
    self.serverTime = serverTime
    self.limits = limits
    self.capabilities = capabilities
  }
}
