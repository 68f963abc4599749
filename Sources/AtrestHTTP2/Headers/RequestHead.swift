// SPDX-License-Identifier: Apache-2.0
// Decides what a server learns from a request's headers, before a byte of body is looked at.

/// The headers of a request that is well-formed gRPC.
public struct RequestHead: Sendable {
  /// `/package.Service/Method`, as sent. Case matters.
  public var path: String
  /// `:authority`, or `host` when a proxy sent that instead.
  public var authority: String
  /// What the caller added, and `user-agent`, `authorization` and `grpc-previous-rpc-attempts`.
  /// `-bin` values are decoded. No other `grpc-` name is in it.
  public var metadata: Metadata
  /// When the call is over; the connection itself answers DEADLINE_EXCEEDED then. Nil means never.
  public var deadline: Instant?

  /// A head, for tests of what is above this module.
  public init(
    path: String, authority: String = "", metadata: Metadata = Metadata(),
    deadline: Instant? = nil
  ) {
    self.path = path
    self.authority = authority
    self.metadata = metadata
    self.deadline = deadline
  }
}
