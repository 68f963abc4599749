// SPDX-License-Identifier: Apache-2.0
// Measures fairness between accounts: concurrent pulls, and pushes beside a pull.

import Foundation

/// Prints the throughput of concurrent pulls of several accounts compared with one.
func measurePulls(_ server: ServerProcess) async throws {
  print("\nPulls of whole accounts over TLS, each by one device on one connection (median of 9)")
  row("accounts at once", "records/s", "server us")
  let (count, records, rounds) = (8, 10_000, 9)
  var accounts: [FilledAccount] = []
  for index in 0..<count {
    accounts.append(try await FilledAccount(server, name: "pull-\(index)", records: records))
  }
  // Alternating, so that background load affects both.
  var rates: [Int: [Double]] = [:]
  var processor: [Int: Double] = [:]
  for _ in 0..<rounds {
    for readers in [1, count] {
      let before = server.processorMicroseconds
      let time = try await seconds { try await pull(accounts.prefix(readers)) }
      processor[readers, default: 0] += server.processorMicroseconds - before
      rates[readers, default: []].append(Double(readers * records) / time)
    }
  }
  let medians = [1, count].map { quantile(rates[$0, default: []].sorted(), 0.5) }
  for (readers, median) in zip([1, count], medians) {
    let cost = processor[readers, default: 0] / Double(rounds * readers * records)
    row("\(readers)", figure(median), figure(cost, decimals: 1))
  }
  print("\(count) accounts / one: \(figure(medians[1] / medians[0], decimals: 2))")
  for account in accounts { await account.channel.close() }
}

private func pull(_ accounts: some Collection<FilledAccount>) async throws {
  try await withThrowingTaskGroup(of: Void.self) { pulls in
    for account in accounts { pulls.addTask { try await account.pull() } }
    try await pulls.waitForAll()
  }
}

/// Prints the latency of a push on an idle server, and while another account is pulled repeatedly.
func measurePushesBesidePulls(_ server: ServerProcess) async throws {
  let (records, rounds, pushes) = (1_000_000, 8, 100)
  print(
    "\nA push of one record, durable, over TLS, and beside it a pull of \(figure(Double(records)))")
  row("", "median us", "p99 us")
  let large = try await FilledAccount(server, name: "large", records: records)
  var small = try await FilledAccount(server, name: "small", records: 100)
  var (calm, beside): ([Double], [Double]) = ([], [])
  for _ in 0..<rounds {
    calm += try await microseconds(of: pushes, &small)
    let pull = Task { while !Task.isCancelled { try await large.pull() } }
    beside += try await microseconds(of: pushes, &small)
    pull.cancel()
    _ = await pull.result
  }
  for (name, samples) in [("alone", calm.sorted()), ("beside the pull", beside.sorted())] {
    row(name, figure(quantile(samples, 0.5)), figure(quantile(samples, 0.99)))
  }
  let ratio = quantile(beside.sorted(), 0.99) / quantile(calm.sorted(), 0.99)
  print("p99 beside / alone: \(figure(ratio, decimals: 2))")
  await large.channel.close()
  await small.channel.close()
}

/// Pushes at a fixed pace rather than back to back, so that pushes do not queue behind each other.
private func microseconds(of pushes: Int, _ account: inout FilledAccount) async throws -> [Double] {
  var microseconds: [Double] = []
  for _ in 0..<pushes {
    let offer = try account.nextOffer()
    microseconds.append(try await seconds { try await account.push([offer]) } * 1e6)
    try await Task.sleep(for: .milliseconds(10))
  }
  return microseconds
}
