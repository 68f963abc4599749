// SPDX-License-Identifier: Apache-2.0
// Delivers signals as calls on a queue.

import Dispatch
import Glibc

/// Watches process signals. Disables their default action (usually termination) during its
/// lifetime. SIGPIPE is ignored from the first watcher on.
public final class SignalWatcher: @unchecked Sendable {
  // Sendable: nothing here changes, and Dispatch sources may be cancelled from any thread.
  /// A signal that a server handles.
  public enum Signal: Sendable, CaseIterable {
    /// SIGINT: Ctrl-C.
    case interrupt
    /// SIGTERM: a service manager's stop request.
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

  /// - Parameter handler: Called on a private queue, once per signal. Signals that arrive together
  ///   may be coalesced.
  public init(_ signals: [Signal], handler: @escaping @Sendable (Signal) -> Void) {
    let queue = DispatchQueue(label: "atrest.net.signals")
    _ = signal(SIGPIPE, SIG_IGN)
    numbers = signals.map(\.number)
    sources = signals.map { watched in
      // Otherwise the default action ends the process before Dispatch sees the signal.
      _ = signal(watched.number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: watched.number, queue: queue)
      source.setEventHandler { handler(watched) }
      source.activate()
      return source
    }
  }

  /// Stops watching and restores the default actions.
  public func stop() {
    for source in sources { source.cancel() }
    for number in numbers { _ = signal(number, SIG_DFL) }
  }

  deinit {
    stop()
  }
}
