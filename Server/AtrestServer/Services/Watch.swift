// SPDX-License-Identifier: Apache-2.0
// One open Watch stream.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

/// The output side of a stream. `StreamWriter` in production.
package protocol EventSink: Sendable {
  /// Queues a message, or ends the call if the client reads too slowly.
  func send(_ message: [UInt8]) -> StreamWriter.SendOutcome
  /// Ends the call.
  func finish(_ status: Status)
  /// Registers `action` for a call that ends in any other way.
  func onCancel(_ action: @escaping @Sendable () -> Void)
}

extension StreamWriter: EventSink {}

/// An open Watch stream of a device. Thread-safe.
package final class Watch: Sendable {
  /// Idle time after which a heartbeat is sent. Well below the idle timeouts of proxies.
  static let heartbeat: Duration = .seconds(30)

  let session: DeviceSession
  private let sink: any EventSink
  private let hasEnded = Atomic(false)

  init(session: DeviceSession, sink: any EventSink) {
    self.session = session
    self.sink = sink
  }

  /// Whether events can still be sent.
  package var isOpen: Bool { !hasEnded.load(ordering: .acquiring) }

  /// Sends an encoded event.
  func send(_ event: [UInt8]) {
    guard isOpen else { return }
    switch sink.send(event) {
    case .queued: break
    // For a slow reader, the writer has ended the call. For a closed stream, somebody else has.
    case .slowReader, .closed: forget()
    }
  }

  /// Sends the account's head without records.
  package func sendHeartbeat(at now: WallTime) {
    let cursor = session.account.head
    send(WatchResponse(after: cursor, records: [], cursor: cursor, serverTime: now).packed)
  }

  /// Ends the stream.
  func end(_ status: Status) {
    guard forget() else { return }
    sink.finish(status)
  }

  /// Removes the stream from all lists. False if it was removed before.
  @discardableResult
  func forget() -> Bool {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    session.remove(self)
    session.account.remove(self)
    return true
  }
}
