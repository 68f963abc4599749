// SPDX-License-Identifier: Apache-2.0
// The received messages of a stream that were not read yet.

import AtrestClient
import AtrestSync

/// A queue with one reader.
final class SimulatedStream: @unchecked Sendable {
  // Sendable: a simulation has one thread.
  typealias Reader = UnsafeContinuation<Result<[UInt8]?, SyncError>, Never>

  private var messages: [[UInt8]] = []
  /// How the stream ended, once it has. Nil inside: successfully.
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

  /// Delivers the next message, now or later. Nil at the end.
  func next(_ waiting: Reader) {
    if !messages.isEmpty {
      waiting.resume(returning: .success(messages.removeFirst()))
    } else if let ending {
      waiting.resume(returning: outcome(ending))
    } else {
      reader = waiting
    }
  }

  /// Stops reading.
  func close() { messages = [] }

  private func outcome(_ error: SyncError?) -> Result<[UInt8]?, SyncError> {
    error.map { .failure($0) } ?? .success(nil)
  }
}
