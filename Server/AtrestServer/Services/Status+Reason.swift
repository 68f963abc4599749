// SPDX-License-Identifier: Apache-2.0
// Tells programs why a call failed, so that none reads English.

import AtrestHTTP2
import AtrestWire

extension Status {
  /// When a call may be made again that failed.
  enum Retry {
    /// After a while that the server knows.
    case after(Duration)
    /// Not before somebody has done something.
    case useless
    /// Nothing is known: as the status code says.
    case unknown
  }

  /// The same status with a reason.
  ///
  /// - Parameters:
  ///   - quota: What the limit is for that was reached; nil for other errors.
  ///   - retry: Also sent as `grpc-retry-pushback-ms`, which gRPC's own retries obey: gRFC A6.
  func because(
    _ reason: ErrorReason, quota: QuotaSubject? = nil, retry: Retry = .unknown
  ) -> Status {
    var status = self
    var details = ErrorDetails(
      code: UInt32(code.rawValue), message: message, reason: reason, quotaSubject: quota?.rawValue)
    switch retry {
    case .after(let delay):
      let milliseconds = Int64(delay / .milliseconds(1))
      details.retryMilliseconds = milliseconds
      status.metadata.add("grpc-retry-pushback-ms", "\(milliseconds)")
    case .useless:
      status.metadata.add("grpc-retry-pushback-ms", "-1")
    case .unknown: break
    }
    status.details = details.encoded
    return status
  }
}

/// What a limit is for.
enum QuotaSubject: String {
  case account, device, address
}
