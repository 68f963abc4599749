// SPDX-License-Identifier: Apache-2.0
// Decides when housekeeping is done: ten minutes after the start and then each hour, in slices
// between which exchanges have their turn; and each minute, what was only counted is written down.

import AtrestReplication

/// Goes through all accounts, over and over.
package final class Housekeeper: Sendable {
  /// Time between two looks at what was counted, and how many of them go by between two rounds.
  private static let minute: Duration = .seconds(60)
  private static let minutesOfRound = 60
  private static let firstMinute = 10

  private let queue: CommitQueue
  private let registry: SessionRegistry
  private let environment: Environment
  private let clock: ClockMonitor?

  package init(
    queue: CommitQueue, registry: SessionRegistry, environment: Environment,
    clock: ClockMonitor? = nil
  ) {
    self.clock = clock
    self.queue = queue
    self.registry = registry
    self.environment = environment
  }

  /// Goes round until the task is cancelled.
  func work() async {
    var minutes = 0
    while !Task.isCancelled {
      clock?.check()
      // A clock that is ahead would end what is kept for a time before its time. Devices that call
      // in the first minutes tell.
      if minutes % Self.minutesOfRound == Self.firstMinute {
        if clock?.doubt == nil { await goRound() }
        queue.eraseIfOwed()
      }
      queue.writeCounted(at: environment.now())
      try? await Task.sleep(for: Self.minute)
      minutes += 1
    }
  }

  /// Does what is due in every account. What fails is logged by the queue, and tried again in the
  /// next round.
  package func goRound() async {
    for account in registry.accounts {
      while !Task.isCancelled, await doSlice(of: account) {}
    }
  }

  /// - Returns: Whether there may be more.
  private func doSlice(of account: AccountID) async -> Bool {
    let now = environment.now()
    return await withCheckedContinuation { done in
      let job = Operation(by: .account(account), use: .writes) { batch throws(StoreError) in
        try Housekeeping.run(try batch.feed(of: account), at: now)
      } completion: { result, _ in
        done.resume(returning: (try? result.get()) ?? false)
      }
      if !queue.submit(job) { done.resume(returning: false) }
    }
  }
}
