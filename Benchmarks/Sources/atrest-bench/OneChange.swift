// SPDX-License-Identifier: Apache-2.0
// Compares the cost of one changed record in a small and a large account; they should be equal.

import Foundation

/// An account and the cost of its exchanges.
private struct Measured {
  var account: FilledAccount
  var microseconds: [Double] = []
  var processor = 0.0

  mutating func measure(_ server: ServerProcess, exchanges: Int) async throws {
    let before = server.processorMicroseconds
    for _ in 0..<exchanges {
      let offer = try account.nextOffer()
      let time = try await seconds { try await account.push([offer]) }
      microseconds.append(time * 1e6)
    }
    processor += server.processorMicroseconds - before
  }
}

/// Prints cost and ratio. The two accounts alternate, so that background load affects both.
func measureOneChange(_ server: ServerProcess) async throws {
  print("\nAn exchange with one new record, durable, over TLS")
  row("account", "median us", "p99 us", "server us/call")
  var (small, large) = (
    Measured(account: try await FilledAccount(server, name: "small", records: 100)),
    Measured(account: try await FilledAccount(server, name: "large", records: 100_000))
  )
  let (rounds, exchanges) = (10, 200)
  for _ in 0..<rounds {
    try await small.measure(server, exchanges: exchanges)
    try await large.measure(server, exchanges: exchanges)
  }
  for measured in [small, large] {
    let sorted = measured.microseconds.sorted()
    row(
      "\(figure(Double(measured.account.records))) records", figure(quantile(sorted, 0.5)),
      figure(quantile(sorted, 0.99)),
      figure(measured.processor / Double(rounds * exchanges), decimals: 1))
  }
  let ratio =
    quantile(large.microseconds.sorted(), 0.5) / quantile(small.microseconds.sorted(), 0.5)
  print("large / small: \(figure(ratio, decimals: 2))")
  await small.account.channel.close()
  await large.account.channel.close()
}
