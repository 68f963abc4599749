// SPDX-License-Identifier: Apache-2.0
// Fuzzes what a server, or a proxy before it, tells programs of a failed call.

import AtrestClient
import AtrestWire

extension FuzzTarget {
  /// A `google.rpc.Status`. Whatever is read can be written and reads back as itself.
  static let details = FuzzTarget(name: "details", limitBytes: 4096) { bytes in
    guard let details = try? ErrorDetails(decoding: bytes) else { return }
    try law(
      try ErrorDetails(decoding: details.encoded) == details, "details survive being passed on")
    if let milliseconds = details.retryMilliseconds {
      try law((0...31_536_000_999).contains(milliseconds), "a pause lies between now and a year")
    }
    let failure = CallFailure.status(
      Int(details.code), message: details.message, details: details)
    let error = SyncError(failure)
    try law(!error.userMessage.isEmpty, "a failure has words")
    try law(
      (0...3_600_000).contains(error.retryMilliseconds ?? 0), "no pause is longer than an hour")
  } seeds: {
    let all = [
      ErrorDetails(
        code: 8, message: "née", reason: .pairingAttemptRate, retryMilliseconds: 60_250,
        quotaSubject: "address"),
      ErrorDetails(code: 16, message: "", reason: .deviceUnknown),
      ErrorDetails(code: 14, message: "gone", reason: nil, retryMilliseconds: 5),
      ErrorDetails(code: 8, message: "full", reason: .accountFull, quotaSubject: "account"),
    ]
    return all.enumerated().map { (name: "status-\($0)", input: $1.encoded) }
  }
}
