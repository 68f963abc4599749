// SPDX-License-Identifier: Apache-2.0
// Checks what a server of a shared database answers: what it promises on top of one with a file.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestServer
import AtrestWire

extension ServerProcess {
  /// A request, and which history of the database it was made in.
  struct Asked {
    let path: String
    let caller: Caller?
    let body: [UInt8]
    let histories: Int
  }

  /// How many histories the shared database has had; 0 for a file.
  var histories: Int {
    if case .shared(let database, _, _) = storage { database.histories } else { 0 }
  }

  func check(_ outcome: UnaryOutcome, of asked: Asked, isFromMemory: Bool) {
    guard case .shared(let database, _, _) = storage else { return }
    let isOfThisHistory = asked.histories == database.histories
    switch outcome {
    case .fail(let status):
      if isOfThisHistory, status.code == .unavailable, !database.hadTrouble {
        world.broke(
          "a call fails where transactions were in each other's way, and nothing else: "
            + status.message)
      }
    case .reply(let bytes):
      guard asked.path == Method.Sync.exchange, let caller = asked.caller,
        let answer = try? ExchangeResponse(decoding: bytes)
      else { return }
      let account = caller.account.id
      let request = try? ExchangeRequest(decoding: asked.body)
      // The device learns of refusals even if the database failed over since.
      if let request { world.noteRefusals(answer, to: request, of: world.account(account)) }
      guard isOfThisHistory else { return }
      if isFromMemory {
        // It may be of the history before, until the server notices that another one began.
        checkHead(answer.head, of: account, database)
      } else {
        let known = given[account].flatMap { $0.histories == histories ? $0.head : nil } ?? 0
        given[account] = (max(known, answer.head.sequence), histories)
      }
      if let request { world.checkTaken(answer, to: request, of: world.account(account)) }
    case .later: break
    }
  }

  /// What is answered from memory is no older than what the server gave away before, than what was
  /// committed before it listened, and than its trust lasts.
  private func checkHead(
    _ head: AtrestReplication.Cursor, of account: AccountID, _ database: SharedDatabase
  ) {
    world.count(.answersFromMemory)
    let now = world.scheduler.now
    if let known = given[account], known.histories == histories, head.sequence < known.head {
      world.broke("a server gives an older head away than it did before")
    }
    guard let since = news?.listeningSince else {
      return world.broke("a server that hears nothing answers from memory")
    }
    let (lifetime, _) = CacheTrust.lifetime.components
    if head.sequence < database.head(of: account, at: max(since, now - lifetime * 1_000_000)) {
      world.broke("a server answers from memory what had changed before it listened")
    }
  }
}
