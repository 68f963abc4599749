// SPDX-License-Identifier: Apache-2.0
// The messages of a stream that arrived and were not taken yet.

import AtrestClient

/// A queue with one reader.
final class SimulatedStream: @unchecked Sendable {
  // Sendable because a simulation has one thread.
  typealias Reader = UnsafeContinuation<Result<[UInt8]?, SyncError>, Never>

  private var messages: [[UInt8]] = []
  /// How it ended, once it has: nil in good order.
  private var ending: SyncError??
  private var reader: Reader?

  func add(_ message: [UInt8]) {
    if let waiting = reader {
      reader = nil
      waiting.resume(returning: .success(message))
    } else {
      messages.append(message)
    }
  }

  func end(_ error: SyncError?) {
    guard ending == nil else { return }
    ending = .some(error)
    guard let waiting = reader else { return }
    reader = nil
    waiting.resume(returning: outcome(error))
  }

  /// Hands the next message over, now or later; nil at the end.
  func next(_ waiting: Reader) {
    if !messages.isEmpty {
      waiting.resume(returning: .success(messages.removeFirst()))
    } else if let ending {
      waiting.resume(returning: outcome(ending))
    } else {
      reader = waiting
    }
  }

  /// Nobody reads any more.
  func close() { messages = [] }

  private func outcome(_ error: SyncError?) -> Result<[UInt8]?, SyncError> {
    error.map { .failure($0) } ?? .success(nil)
  }
}
