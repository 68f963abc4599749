// SPDX-License-Identifier: Apache-2.0
// Decides what travels in trailers: code, message, details, further metadata.

/// The end of a call: what trailers carry.
public struct Status: Error, Equatable, Sendable {
  /// How the call ended.
  public var code: StatusCode
  /// A sentence for a person. Any Unicode; percent-encoded on the wire; cut to about 1 KiB there.
  public var message: String
  /// A serialized `google.rpc.Status` (`grpc-status-details-bin`), or empty. Left out on the wire
  /// when trailers would grow past ``Limits/maxTrailerBytes``.
  public var details: [UInt8]
  /// Further trailers.
  public var metadata: Metadata

  /// A status with a code and, usually, a sentence.
  public init(
    _ code: StatusCode, _ message: String = "", details: [UInt8] = [],
    metadata: Metadata = Metadata()
  ) {
    self.code = code
    self.message = message
    self.details = details
    self.metadata = metadata
  }

  /// Success, with nothing to add.
  public static let ok = Status(.ok)
}
