// SPDX-License-Identifier: Apache-2.0
// Tells what ended a sync from whatever was thrown.

import AtrestSync

extension SyncError {
  /// Maps any error of a sync. What is neither the server's nor the replica's is a cancellation.
  init(_ error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let error as ReplicaError: self = .replica(error)
    default: self = .cancelled
    }
  }
}
