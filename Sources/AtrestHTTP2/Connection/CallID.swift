// SPDX-License-Identifier: Apache-2.0
// Decides how a call is named between a connection and its owner.

/// Names one call of one connection. Never reused on that connection; another connection has its
/// own call of the same name.
public struct CallID: Hashable, Sendable, CustomStringConvertible {
  /// The HTTP/2 stream the call runs on.
  public let streamID: Int32

  init(_ streamID: Int32) {
    self.streamID = streamID
  }

  /// The stream number, for logs.
  public var description: String { "call \(streamID)" }
}
