// SPDX-License-Identifier: Apache-2.0
// Lets a command that stays end in its own way when a person interrupts it.

import Dispatch
import Foundation

/// What SIGINT and SIGTERM do while this is held.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

  /// Returns once no signal is missed any more.
  /// - Parameter handler: Runs on a queue of its own, for each signal.
  init(_ handler: @escaping @Sendable () -> Void) {
    let isRegistered = DispatchSemaphore(value: 0)
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)  // The source below receives it instead.
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: handler)
      source.setRegistrationHandler { isRegistered.signal() }
      source.resume()
      return source
    }
    // A moment; not for ever, because a signal that is missed can be sent again.
    for _ in sources { _ = isRegistered.wait(timeout: .now() + .seconds(1)) }
  }

  deinit {
    for source in sources { source.cancel() }
  }
}
