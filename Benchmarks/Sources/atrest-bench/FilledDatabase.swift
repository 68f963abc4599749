// SPDX-License-Identifier: Apache-2.0
// Measures exchanges with one new record among the accounts of two filled databases.

import AtrestRPC
import Foundation

/// A daemon on a database that Benchmarks/postgresql-large filled.
private struct FilledDatabase {
  let server: ServerProcess
  let count: Int
  let probe: Caller
  let channel: GRPCChannel
  /// Accounts that call again and again.
  var accounts: [FilledAccount] = []
  var milliseconds: [Double] = []
  var processor = 0.0

  init(_ server: ServerProcess, accounts count: Int, active: Int) async throws {
    (self.server, self.count) = (server, count)
    probe = try await Caller(server, account: "probe-\(UUID().uuidString)")
    channel = try probe.channel()
    for index in (0..<count).shuffled().prefix(active) { accounts.append(try account(index)) }
    for index in accounts.indices { try await accounts[index].push([accounts[index].nextOffer()]) }
  }

  func account(_ index: Int) throws -> FilledAccount {
    let device = NumberedDevice(index)
    return try FilledAccount(
      device.caller(like: probe, at: server.address), on: channel, at: device.cursor)
  }

  /// One exchange of each account.
  mutating func measure() async throws {
    let before = server.processorMicroseconds
    for index in accounts.indices {
      let offer = try accounts[index].nextOffer()
      milliseconds.append(try await seconds { try await accounts[index].push([offer]) } * 1e3)
    }
    processor += server.processorMicroseconds - before
  }

  /// One exchange of each of other accounts, which the daemon does not know yet.
  mutating func measureStrangers(_ number: Int) async throws {
    for _ in 0..<number {
      var stranger = try account(Int.random(in: 0..<count))
      let offer = try stranger.nextOffer()
      milliseconds.append(try await seconds { try await stranger.push([offer]) } * 1e3)
    }
  }

  mutating func takeQuantiles() -> (p50: Double, p99: Double, cost: Double) {
    let sorted = milliseconds.sorted()
    let cost = processor / Double(max(1, sorted.count))
    (milliseconds, processor) = ([], 0)
    return (quantile(sorted, 0.5), quantile(sorted, 0.99), cost)
  }
}

/// Prints latencies and the daemon's cost in a small database and in a large one, which alternate,
/// and the memory of the daemon on the large one.
func measureFilledDatabases(
  _ servers: (small: ServerProcess, large: ServerProcess), accounts: (small: Int, large: Int)
) async throws {
  let (active, rounds) = (accounts.small, 50)
  var small = try await FilledDatabase(servers.small, accounts: accounts.small, active: active)
  var large = try await FilledDatabase(servers.large, accounts: accounts.large, active: active)
  for _ in 0..<rounds {
    try await small.measure()
    try await large.measure()
  }
  let (few, many) = (small.takeQuantiles(), large.takeQuantiles())
  report("among \(accounts.small) accounts, ms, p50", few.p50)
  report("among \(accounts.small) accounts, ms, p99", few.p99)
  report("among \(accounts.small) accounts, daemon's processor time, us", few.cost)
  report("among \(accounts.large), of \(active) that call often, ms, p50", many.p50)
  report("among \(accounts.large), of \(active) that call often, ms, p99", many.p99)
  report("among \(accounts.large), daemon's processor time, us", many.cost)
  report("large / small, p50", many.p50 / few.p50)
  for _ in 0..<rounds {
    try await small.measure()
    try await large.measureStrangers(40)
  }
  let strangers = large.takeQuantiles()
  report("among \(accounts.large), of those that call for the first time, ms, p50", strangers.p50)
  report("the same / small, p50", strangers.p50 / small.takeQuantiles().p50)

  // More than a daemon keeps in memory.
  let database = large
  try await eachOf(min(accounts.large, 60_000)) { index in
    try await database.account(database.count - 1 - index).check()
  }
  let memory = "daemon's resident memory, MB"
  report("\(memory), among \(accounts.small) accounts", servers.small.residentMegabytes)
  report("\(memory), after 60,000 of the others called", servers.large.residentMegabytes)
  await small.channel.close()
  await large.channel.close()
}
