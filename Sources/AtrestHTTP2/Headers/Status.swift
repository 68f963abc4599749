// SPDX-License-Identifier: Apache-2.0
// The contents of trailers: code, message, details, metadata.

/// The final status of a call, as carried in trailers.
public struct Status: Error, Equatable, Sendable {
  /// The status code.
  public var code: StatusCode
  /// A sentence for people, in any Unicode. Percent-encoded on the wire and truncated to about 1
  /// KiB there.
  public var message: String
  /// A serialized `google.rpc.Status` (`grpc-status-details-bin`), or empty. Omitted on the wire if
  /// the trailers would exceed ``Limits/maxTrailerBytes``.
  public var details: [UInt8]
  /// Custom trailing metadata.
  public var metadata: Metadata
  /// Whether no gRPC status came, as from a proxy or a web server: the code was derived from what
  /// came in its place.
  public internal(set) var isSubstitute = false

  /// Creates a status from a code and, usually, a message.
  public init(
    _ code: StatusCode, _ message: String = "", details: [UInt8] = [],
    metadata: Metadata = Metadata()
  ) {
    self.code = code
    self.message = message
    self.details = details
    self.metadata = metadata
  }

  /// A status for an answer that has none.
  static func substitute(_ code: StatusCode, _ message: String) -> Status {
    var status = Status(code, message)
    status.isSubstitute = true
    return status
  }

  /// OK without message, details or metadata.
  public static let ok = Status(.ok)
}
