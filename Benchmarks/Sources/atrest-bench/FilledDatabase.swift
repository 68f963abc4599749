// SPDX-License-Identifier: Apache-2.0
// Measures exchanges with one new record among the accounts of a filled database.

import Foundation

/// Prints latencies and the daemon's cost, of accounts that call again and again, and of accounts
/// that call for the first time.
///
/// - Parameter count: Accounts in the database.
func measureFilledDatabase(_ server: ServerProcess, accounts count: Int) async throws {
  let probe = try await Caller(server, account: "probe-\(UUID().uuidString)")
  let channel = try probe.channel()
  @Sendable func account(_ index: Int) throws -> FilledAccount {
    let device = NumberedDevice(index)
    return try FilledAccount(
      device.caller(like: probe, at: server.address), on: channel, at: device.cursor)
  }
  let (active, rounds) = (100, 20)
  // Another hundred in each run: the cursor that they begin with is the one of the filling.
  let stride = count / active
  let offset = stride > 1 ? Int.random(in: 0..<stride) : 0
  var accounts = try (0..<active).map { try account($0 * stride + offset) }
  for index in accounts.indices { try await accounts[index].push([accounts[index].nextOffer()]) }
  try await measure(server, "of accounts that called before", exchanges: active * rounds) {
    try await accounts[$0 % active].push([accounts[$0 % active].nextOffer()])
  }
  if stride > 1 {
    try await measure(server, "of accounts that call for the first time", exchanges: 2_000) { _ in
      var stranger = try account(Int.random(in: 0..<count))
      try await stranger.push([stranger.nextOffer()])
    }
  }
  // More than a daemon keeps in memory.
  let callers = min(count, 60_000)
  try await eachOf(callers) { index in try await account(count - 1 - index).check() }
  report("daemon's resident memory, MB", server.residentMegabytes)
  await channel.close()
}

private func measure(
  _ server: ServerProcess, _ name: String, exchanges: Int, _ body: (Int) async throws -> Void
) async throws {
  var milliseconds: [Double] = []
  let before = server.processorMicroseconds
  for index in 0..<exchanges {
    milliseconds.append(try await seconds { try await body(index) } * 1e3)
  }
  let cost = (server.processorMicroseconds - before) / Double(exchanges)
  milliseconds.sort()
  report("exchange with one change, ms, p50, \(name)", quantile(milliseconds, 0.5))
  report("exchange with one change, ms, p99, \(name)", quantile(milliseconds, 0.99))
  report("daemon's processor time an exchange, us, \(name)", cost)
}
