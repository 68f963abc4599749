// SPDX-License-Identifier: Apache-2.0
// What a failed call means, by its status and the reason in its details.

import AtrestDomain
import AtrestWire

/// Numbers of gRPC status codes.
package enum StatusNumber {
  package static let cancelled = 1
  package static let unknown = 2
  package static let deadlineExceeded = 4
  package static let notFound = 5
  package static let permissionDenied = 7
  package static let resourceExhausted = 8
  package static let aborted = 10
  package static let unimplemented = 12
  package static let internalError = 13
  package static let unavailable = 14
  package static let unauthenticated = 16
}

extension SyncError {
  /// The reason of an answer that is not known to be the server's.
  package static func elsewhere(_ answer: String) -> String {
    "something between this device and the server answered: \(answer)"
  }

  /// Limits under which an account stays until somebody removes something.
  private static let limits: Set<ErrorReason> = [.deviceLimit, .pairingCodeLimit, .accountFull]
  /// What proxies make of HTTP statuses of their own, beside what is transient anyway. Source:
  /// grpc/grpc doc/http-grpc-status-mapping.md.
  private static let proxied: Set<Int> = [
    StatusNumber.unauthenticated, StatusNumber.permissionDenied, StatusNumber.internalError,
    StatusNumber.unknown,
  ]

  /// A call that ended with a status other than OK.
  ///
  /// Only a status with a reason of our domain is the server's own word. Any other may be a
  /// proxy's, which cannot end a device's access: that passes by itself. Servers of version 0.1.0
  /// give no reasons; what they refuse for good is repeated now and then.
  ///
  /// - Parameters:
  ///   - message: The server's; untrusted, as everything else.
  ///   - details: What `grpc-status-details-bin` says; nil for nothing.
  package init(status: Int, message: String, details: ErrorDetails?) {
    let reason = details?.reason
    let sentence = sentencePart(message)
    switch status {
    // RESOURCE_EXHAUSTED, too, but waiting does not help.
    case _ where reason.map(Self.limits.contains) ?? false: self = .refused(sentence)
    case StatusNumber.unavailable, StatusNumber.deadlineExceeded, StatusNumber.resourceExhausted,
      StatusNumber.aborted, StatusNumber.cancelled:
      self = .unreachable(sentence)
    case StatusNumber.unauthenticated where reason == .deviceUnknown: self = .accessEnded
    case _ where reason == nil && Self.proxied.contains(status):
      self = .unreachable("the server, or something before it, answered: \(sentence)")
    case StatusNumber.permissionDenied: self = .notPermitted(sentence)
    case StatusNumber.notFound: self = .notFound(sentence)
    case StatusNumber.unimplemented: self = .refused("it does not know what was asked of it")
    default: self = .refused(sentence)
    }
    // For the words of what passes; a lasting error is equal to any other of its kind.
    if isTransient { serverReason = details?.reason }
    retryMilliseconds = details?.retryMilliseconds.map { min($0, BackOff.requestLimitMilliseconds) }
  }
}

/// A server's sentence as part of one of ours: without full stop or capital, and never empty.
private func sentencePart(_ text: String) -> String {
  var text = shown(text)
  while text.last == "." || text.last?.isBlank == true { text.removeLast() }
  return text.isEmpty ? "it gave no reason" : text.prefix(1).lowercased() + text.dropFirst()
}
