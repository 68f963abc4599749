// SPDX-License-Identifier: Apache-2.0
// Handles interruption of a long-running command.

import Dispatch
import Foundation

/// Handles SIGINT and SIGTERM for as long as it is retained.
public final class Interruption {
  private let sources: [any DispatchSourceSignal]

  /// Returns once the handlers are registered.
  /// - Parameter handler: Runs on a background queue for each signal.
  public init(_ handler: @escaping @Sendable () -> Void) {
    let isRegistered = DispatchSemaphore(value: 0)
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)  // The dispatch source below receives it instead.
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: handler)
      source.setRegistrationHandler { isRegistered.signal() }
      source.resume()
      return source
    }
    // Bounded, because a missed signal can be sent again.
    for _ in sources { _ = isRegistered.wait(timeout: .now() + .seconds(1)) }
  }

  deinit {
    for source in sources { source.cancel() }
  }
}
