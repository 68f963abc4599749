// SPDX-License-Identifier: Apache-2.0
// One open Watch stream.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import Synchronization

/// Where a stream's messages go. `StreamWriter` in production.
package protocol EventSink: Sendable {
  /// Queues a message, or ends the call if its reader is too slow.
  func send(_ message: [UInt8]) -> StreamWriter.SendOutcome
  /// Ends the call.
  func finish(_ status: Status)
  /// Runs `action` when the call ends otherwise.
  func onCancel(_ action: @escaping @Sendable () -> Void)
}

extension StreamWriter: EventSink {}

/// A device that listens to its account. Thread-safe.
package final class Watch: Sendable {
  /// Silence after which a heartbeat is sent: well below what proxies take for a dead connection.
  static let heartbeat: Duration = .seconds(30)

  let session: DeviceSession
  private let sink: any EventSink
  private let hasEnded = Atomic(false)

  init(session: DeviceSession, sink: any EventSink) {
    self.session = session
    self.sink = sink
  }

  /// Whether events still go out.
  package var isOpen: Bool { !hasEnded.load(ordering: .acquiring) }

  /// Sends an encoded event.
  func send(_ event: [UInt8]) {
    guard isOpen else { return }
    switch sink.send(event) {
    case .queued: break
    // The writer has ended the call in the first case, and somebody else in the second.
    case .slowReader, .closed: forget()
    }
  }

  /// Sends the account's head, without news.
  package func sendHeartbeat(at now: WallTime) {
    let cursor = session.account.head
    send(WatchEvent(after: cursor, records: [], cursor: cursor, serverTime: now).encoded)
  }

  /// Ends the stream.
  func end(_ status: Status) {
    guard forget() else { return }
    sink.finish(status)
  }

  /// Takes the stream off every list; false if that was done before.
  @discardableResult
  func forget() -> Bool {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    session.remove(self)
    session.account.remove(self)
    return true
  }
}
