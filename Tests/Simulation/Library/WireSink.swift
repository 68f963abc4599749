// SPDX-License-Identifier: Apache-2.0
// Connects a Watch stream of the server's service to a simulated connection.

import AtrestHTTP2
import AtrestRPC
import AtrestServer

/// The server's side of a simulated stream. Messages go out slightly later, because the service may
/// send inside a commit or while the connection reports events.
final class WireSink: EventSink, @unchecked Sendable {
  // Sendable: a simulation has one thread.
  private let scheduler: Scheduler
  private weak var wire: Wire?
  private let id: CallID
  private var onCancel: (@Sendable () -> Void)?
  private var isOver = false

  init(_ scheduler: Scheduler, _ wire: Wire, _ id: CallID) {
    self.scheduler = scheduler
    self.wire = wire
    self.id = id
  }

  func send(_ message: [UInt8]) -> StreamWriter.SendOutcome {
    guard !isOver else { return .closed }
    scheduler.after(1) { [self] in
      guard !isOver else { return }
      if wire?.send(message, on: id) != true {
        wire?.finish(id, Status(.resourceExhausted, "The reader is too slow."))
        cancel()
      }
    }
    return .queued
  }

  func finish(_ status: Status) {
    guard !isOver else { return }
    // After the messages sent before.
    scheduler.after(1) { [self] in
      guard !isOver else { return }
      isOver = true
      onCancel = nil
      wire?.finish(id, status)
    }
  }

  func onCancel(_ action: @escaping @Sendable () -> Void) {
    if isOver { action() } else { onCancel = action }
  }

  /// The call ended in another way.
  func cancel() {
    guard !isOver else { return }
    isOver = true
    onCancel?()
    onCancel = nil
  }

  /// Ends the stream of a server that died: nobody is told.
  func abandon() {
    isOver = true
    onCancel = nil
  }
}
