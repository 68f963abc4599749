// SPDX-License-Identifier: Apache-2.0
// Identifies a call between a connection and its owner.

/// Identifies one call on one connection. IDs are never reused on a connection but repeat across
/// connections.
public struct CallID: Hashable, Sendable, CustomStringConvertible {
  /// The HTTP/2 stream the call runs on.
  public let streamID: Int32

  init(_ streamID: Int32) {
    self.streamID = streamID
  }

  /// "call" and the stream number, for logs.
  public var description: String { "call \(streamID)" }
}
