// SPDX-License-Identifier: Apache-2.0
// The received events of a stream that were not read yet.

import AtrestSync
import AtrestWire

/// A queue with one reader.
final class SimulatedStream: @unchecked Sendable {
  // Sendable: a simulation has one thread.
  typealias Reader = (Result<WatchResponse?, SyncError>) -> Void

  private var events: [WatchResponse] = []
  /// How the stream ended, once it has. Nil inside: successfully.
  private var ending: SyncError??
  private var reader: Reader?

  func add(_ event: WatchResponse) {
    if let waiting = reader {
      reader = nil
      waiting(.success(event))
    } else {
      events.append(event)
    }
  }

  func end(_ error: SyncError?) {
    guard ending == nil else { return }
    ending = .some(error)
    guard let waiting = reader else { return }
    reader = nil
    waiting(outcome(error))
  }

  /// Delivers the next event, now or later. Nil at the end.
  func next(_ waiting: @escaping Reader) {
    if !events.isEmpty {
      waiting(.success(events.removeFirst()))
    } else if let ending {
      waiting(outcome(ending))
    } else {
      reader = waiting
    }
  }

  /// Stops reading.
  func close() { events = [] }

  private func outcome(_ error: SyncError?) -> Result<WatchResponse?, SyncError> {
    error.map { .failure($0) } ?? .success(nil)
  }
}
