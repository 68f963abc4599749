// SPDX-License-Identifier: Apache-2.0
// What a server knows from a request's headers, before the body.

/// The headers of a well-formed gRPC request.
public struct RequestHead: Sendable {
  /// `/package.Service/Method`, as sent. Case-sensitive.
  public var path: String
  /// `:authority`, or `host` if a proxy sent that instead.
  public var authority: String
  /// The caller's metadata plus `user-agent`, `authorization` and `grpc-previous-rpc-attempts`.
  /// `-bin` values are decoded. Contains no other `grpc-` name.
  public var metadata: Metadata
  /// How the caller wants messages and status.
  public var format: CallFormat
  /// The call's deadline. The connection answers DEADLINE_EXCEEDED at that time. Nil means none.
  public var deadline: Instant?

  /// Creates a head, for tests of higher layers.
  public init(
    path: String, authority: String = "", metadata: Metadata = Metadata(),
    format: CallFormat = .grpc, deadline: Instant? = nil
  ) {
    self.path = path
    self.authority = authority
    self.metadata = metadata
    self.format = format
    self.deadline = deadline
  }
}
