// SPDX-License-Identifier: Apache-2.0
// Schedules housekeeping: ten minutes after the start, then hourly, in slices between which
// exchanges have their turn. Counted events are written each minute. Servers of one database share
// the rounds.

import AtrestReplication

/// The background task that visits all accounts.
package final class Housekeeper: Sendable {
  /// Time between two writes of counted events, and how many of them pass between two rounds.
  private static let minute: Duration = .seconds(60)
  private static let minutesOfRound = 60
  private static let firstMinute = 10
  /// Accounts whose notes are written at once.
  private static let notesAtOnce = 1000

  private let queue: any StorageQueue
  private let registry: SessionRegistry
  private let environment: Environment
  private let clock: ClockMonitor?
  private let claim: Claim?

  /// Claims the next page of the round that all servers of a database share, and returns those of
  /// its accounts in which something may be due; nil if no round is under way or due.
  package typealias Claim = @Sendable () async -> [AccountID]?

  /// - Parameter claim: Nil: every account in the registry is visited.
  package init(
    queue: any StorageQueue, registry: SessionRegistry, environment: Environment,
    clock: ClockMonitor? = nil, claim: Claim? = nil
  ) {
    self.clock = clock
    self.claim = claim
    self.queue = queue
    self.registry = registry
    self.environment = environment
  }

  /// Goes round until the task is cancelled.
  func work() async {
    var minutes = 0
    while !Task.isCancelled {
      clock?.check()
      if minutes % Self.minutesOfRound == Self.firstMinute {
        if claim == nil { await goRound() }
        queue.eraseIfOwed()
      }
      queue.emptyLogIfQuiet()
      if let claim { await goOn(claim) }
      queue.writeCounted(at: environment.now())
      if claim != nil { writeNotes() }
      try? await Task.sleep(for: Self.minute)
      minutes += 1
    }
  }

  /// Does what is due in every account. The queue logs a failure, and the next round tries again.
  package func goRound() async {
    for account in registry.accounts.map(\.id) {
      while !Task.isCancelled, await doSlice(of: account) {}
    }
  }

  /// Takes part in the round of all servers, if one is due.
  private func goOn(_ claim: Claim) async {
    while !Task.isCancelled, let accounts = await claim() {
      for account in accounts {
        while !Task.isCancelled, await doSlice(of: account) {}
      }
    }
  }

  /// What devices that write nothing have acknowledged waits in memory. Where lanes write only what
  /// belongs to their accounts, it is written each minute.
  private func writeNotes() {
    for account in registry.accountsWithNotes(limit: Self.notesAtOnce) {
      _ = queue.submit(Operation(writingNotesOf: account))
    }
  }

  /// - Returns: Whether there may be more.
  private func doSlice(of account: AccountID) async -> Bool {
    await withCheckedContinuation { done in
      let job = Operation(by: .account(account), use: .writes) { batch throws(StoreError) in
        try Housekeeping.run(try batch.feed(of: account))
      } completion: { result, _ in
        done.resume(returning: (try? result.get()) ?? false)
      }
      if !queue.submit(job) { done.resume(returning: false) }
    }
  }
}

extension Operation where Value == Void {
  /// A job that does nothing itself: a queue of lanes writes the notes of its account with it.
  convenience init(writingNotesOf account: AccountID) {
    self.init(by: .account(account), use: .clears) { _ in
    } completion: { _, _ in
    }
  }
}
