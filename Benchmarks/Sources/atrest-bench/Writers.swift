// SPDX-License-Identifier: Apache-2.0
// Measures commits of one record each: by one device after the other, and by many at once.

import AtrestSockets
import Foundation

/// Prints commits a second of one device, and of 64 devices of as many accounts at once.
func measureWriters(_ server: ServerProcess) async throws {
  let (alone, writers, rounds) = (1_000, 64, 100)
  let shard = try Shard(label: "load")
  var accounts: [FilledAccount] = []
  for _ in 0..<writers {
    let caller = try await Caller(server, account: "writer-\(UUID().uuidString)")
    var account = try FilledAccount(caller, on: caller.channel(shard: shard))
    try await account.push([account.nextOffer()])
    accounts.append(account)
  }
  var first = accounts[0]
  let sequence = try await seconds {
    for _ in 0..<alone { try await first.push([first.nextOffer()]) }
  }
  accounts[0] = first
  let before = server.processorMicroseconds
  let together = try await seconds {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for account in accounts {
        group.addTask {
          var account = account
          for _ in 0..<rounds { try await account.push([account.nextOffer()]) }
        }
      }
      try await group.waitForAll()
    }
  }
  let cost = (server.processorMicroseconds - before) / Double(writers * rounds)
  report("commits a second, one writer", Double(alone) / sequence)
  report("commits a second, \(writers) writers", Double(writers * rounds) / together)
  report("daemon's processor time a commit, us, \(writers) writers", cost)
  for account in accounts { await account.channel.close() }
  await shard.stop()
}
