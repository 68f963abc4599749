// SPDX-License-Identifier: Apache-2.0
// Turns signals into calls on a queue.

import Dispatch
import Glibc

/// Watches signals of the process; their default effect (usually death) is off while it lives, and
/// SIGPIPE is ignored from the first watcher on.
public final class SignalWatcher: @unchecked Sendable {
  // Sendable because nothing here changes, and Dispatch sources may be cancelled from any thread.
  /// A signal a server reacts to.
  public enum Signal: Sendable, CaseIterable {
    /// Ctrl-C.
    case interrupt
    /// A service manager's request to stop.
    case terminate
    /// By custom: read the configuration and certificates again.
    case hangUp

    var number: CInt {
      switch self {
      case .interrupt: SIGINT
      case .terminate: SIGTERM
      case .hangUp: SIGHUP
      }
    }
  }

  private let sources: [any DispatchSourceSignal]
  private let numbers: [CInt]

  /// - Parameter handler: Called on a queue of the watcher's own, once per signal (signals that
  ///   come together may count as one).
  public init(_ signals: [Signal], handler: @escaping @Sendable (Signal) -> Void) {
    let queue = DispatchQueue(label: "atrest.net.signals")
    _ = signal(SIGPIPE, SIG_IGN)
    numbers = signals.map(\.number)
    sources = signals.map { watched in
      // Otherwise the process is gone before Dispatch is told.
      _ = signal(watched.number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: watched.number, queue: queue)
      source.setEventHandler { handler(watched) }
      source.activate()
      return source
    }
  }

  /// Stops watching and gives the signals their default effect back.
  public func stop() {
    for source in sources { source.cancel() }
    for number in numbers { _ = signal(number, SIG_DFL) }
  }

  deinit {
    stop()
  }
}
