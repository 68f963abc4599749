// SPDX-License-Identifier: Apache-2.0
// The seventeen gRPC status codes.

/// The outcome of a call. Source: grpc/grpc doc/statuscodes.md.
public enum StatusCode: Int, Sendable, CaseIterable {
  /// The call succeeded.
  case ok = 0
  /// The caller cancelled the call.
  case cancelled = 1
  /// The cause is unknown: a handler threw, or a proxy answered.
  case unknown = 2
  /// The request is invalid in any server state.
  case invalidArgument = 3
  /// The deadline passed.
  case deadlineExceeded = 4
  /// The requested entity does not exist.
  case notFound = 5
  /// The entity to create already exists.
  case alreadyExists = 6
  /// The caller is authenticated but not authorized.
  case permissionDenied = 7
  /// A limit or quota was reached.
  case resourceExhausted = 8
  /// The system is not in the required state.
  case failedPrecondition = 9
  /// The call conflicted with another one; retry from the read.
  case aborted = 10
  /// The request goes past the valid range.
  case outOfRange = 11
  /// The method or the encoding is not supported.
  case unimplemented = 12
  /// The bytes are malformed, or an invariant broke.
  case `internal` = 13
  /// The service is temporarily unavailable; retry later.
  case unavailable = 14
  /// Data was lost or corrupted beyond recovery.
  case dataLoss = 15
  /// The caller is not authenticated.
  case unauthenticated = 16
}
