// SPDX-License-Identifier: Apache-2.0
// Measures whole accounts pushed and pulled by devices that store nothing: the server alone.

import Foundation

/// Prints the records a second of one device, and of several of as many accounts at once.
func measureBulkTransfers(_ server: ServerProcess) async throws {
  let (records, batch) = (100_000, 1_000)
  for devices in [1, 4] {
    var accounts: [FilledAccount] = []
    for _ in 0..<devices {
      let caller = try await Caller(server, account: "bulk-\(UUID().uuidString)")
      accounts.append(try FilledAccount(caller, records: records / devices))
    }
    // Encoded before: clients send what they have stored.
    var batches: [[[[UInt8]]]] = []
    for index in accounts.indices {
      batches.append(
        try (0..<(records / devices / batch)).map { _ in try accounts[index].nextOffers(batch) })
    }
    let before = server.processorMicroseconds
    let push = try await seconds {
      try await withThrowingTaskGroup(of: Void.self) { pushes in
        for (account, batches) in zip(accounts, batches) {
          pushes.addTask {
            var account = account
            for batch in batches { try await account.push(batch) }
          }
        }
        try await pushes.waitForAll()
      }
    }
    let between = server.processorMicroseconds
    let pull = try await seconds {
      try await withThrowingTaskGroup(of: Void.self) { pulls in
        for account in accounts { pulls.addTask { try await account.pull() } }
        try await pulls.waitForAll()
      }
    }
    let name = devices == 1 ? "one device" : "\(devices) devices"
    report("records pushed a second, \(name)", Double(records) / push)
    report("daemon's processor time a record pushed, us, \(name)", (between - before) / 100_000)
    report("records pulled a second, \(name)", Double(records) / pull)
    report(
      "daemon's processor time a record pulled, us, \(name)",
      (server.processorMicroseconds - between) / 100_000)
    for account in accounts { await account.channel.close() }
  }
}
