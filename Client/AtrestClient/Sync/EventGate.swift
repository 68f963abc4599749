// SPDX-License-Identifier: Apache-2.0
// Hands a stream's events over, one at a time.

import AtrestWire
import Synchronization

/// A rendezvous: whoever brings an event waits until it was taken and the next one is wanted, so
/// until it was dealt with. That is the backpressure of a stream, and its end does not overtake its
/// events. For one task that brings and one that takes. Cancelling either closes it.
final class EventGate: Sendable {
  private enum State {
    case idle
    case offered(WatchResponse, CheckedContinuation<Bool, Never>)
    case wanted(CheckedContinuation<WatchResponse?, Never>)
    /// The event was taken, and is being dealt with.
    case taken(CheckedContinuation<Bool, Never>)
    case closed
  }

  /// Who goes on.
  private enum Next {
    case taker(CheckedContinuation<WatchResponse?, Never>, WatchResponse?)
    case bringer(CheckedContinuation<Bool, Never>, isOpen: Bool)
  }

  private let state = Mutex(State.idle)

  /// Waits until the event was dealt with.
  /// - Returns: False if the gate is closed.
  func bring(_ event: WatchResponse) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { bringer in
        resume(
          state.withLock { state -> Next? in
            switch state {
            case .idle:
              state = .offered(event, bringer)
              return nil
            case .wanted(let taker):
              state = .taken(bringer)
              return .taker(taker, event)
            case .closed:
              return .bringer(bringer, isOpen: false)
            case .offered, .taken:
              preconditionFailure("one task brings")
            }
          })
      }
    } onCancel: {
      close()
    }
  }

  /// The next event; nil if the gate is closed. The one before counts as dealt with.
  func take() async -> WatchResponse? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { taker in
        resume(
          state.withLock { state -> Next? in
            switch state {
            case .idle:
              state = .wanted(taker)
              return nil
            case .taken(let bringer):
              state = .wanted(taker)
              return .bringer(bringer, isOpen: true)
            case .offered(let event, let bringer):
              state = .taken(bringer)
              return .taker(taker, event)
            case .closed:
              return .taker(taker, nil)
            case .wanted:
              preconditionFailure("one task takes")
            }
          })
      }
    } onCancel: {
      close()
    }
  }

  private func close() {
    resume(
      state.withLock { state -> Next? in
        defer { state = .closed }
        switch state {
        case .idle, .closed: return nil
        case .offered(_, let bringer), .taken(let bringer):
          return .bringer(bringer, isOpen: false)
        case .wanted(let taker): return .taker(taker, nil)
        }
      })
  }

  private func resume(_ next: Next?) {
    switch next {
    case nil: break
    case .taker(let taker, let event): taker.resume(returning: event)
    case .bringer(let bringer, let isOpen): bringer.resume(returning: isOpen)
    }
  }
}
