// SPDX-License-Identifier: Apache-2.0
// Decides the seventeen ways a call can end.

/// How a call ended. Source: grpc/grpc doc/statuscodes.md.
public enum StatusCode: Int, Sendable, CaseIterable {
  /// The call succeeded.
  case ok = 0
  /// The caller gave up.
  case cancelled = 1
  /// Nobody knows why; a handler threw, or a proxy answered.
  case unknown = 2
  /// The request is wrong whatever the state of the server.
  case invalidArgument = 3
  /// Time ran out.
  case deadlineExceeded = 4
  /// What was asked for is not there.
  case notFound = 5
  /// What was to be made is there already.
  case alreadyExists = 6
  /// The caller is known, and may not.
  case permissionDenied = 7
  /// A limit was reached.
  case resourceExhausted = 8
  /// The system is not in the state this needs.
  case failedPrecondition = 9
  /// A conflict with another call; start over from the read.
  case aborted = 10
  /// Past the end.
  case outOfRange = 11
  /// No such method, or no such encoding.
  case unimplemented = 12
  /// The bytes made no sense, or an invariant broke.
  case `internal` = 13
  /// Try again later.
  case unavailable = 14
  /// Data was lost for good.
  case dataLoss = 15
  /// The caller is not known.
  case unauthenticated = 16
}
