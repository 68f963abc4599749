// SPDX-License-Identifier: Apache-2.0
// Converts signals to calls on a queue.

import Dispatch
import Glibc

/// Watches signals of the process. Their default action is off during its lifetime. SIGPIPE is
/// ignored from the first watcher on.
public final class SignalWatcher: @unchecked Sendable {
  // Sendable: nothing here changes, and Dispatch sources may be cancelled from any thread.
  /// A signal that a server handles.
  public enum Signal: Sendable, CaseIterable {
    /// SIGINT (Ctrl-C).
    case interrupt
    /// SIGTERM: a service manager's request to stop.
    case terminate
    /// SIGHUP: by convention, reload configuration and certificates.
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

  /// - Parameter handler: Called on the watcher's queue, once per signal. Simultaneous signals may
  ///   be merged.
  public init(_ signals: [Signal], handler: @escaping @Sendable (Signal) -> Void) {
    let queue = DispatchQueue(label: "atrest.net.signals")
    _ = signal(SIGPIPE, SIG_IGN)
    numbers = signals.map(\.number)
    sources = signals.map { watched in
      // Otherwise the default action would end the process before Dispatch sees the signal.
      _ = signal(watched.number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: watched.number, queue: queue)
      source.setEventHandler { handler(watched) }
      source.activate()
      return source
    }
  }

  /// Stops watching and restores the signals' default actions.
  public func stop() {
    for source in sources { source.cancel() }
    for number in numbers { _ = signal(number, SIG_DFL) }
  }

  deinit {
    stop()
  }
}
