// SPDX-License-Identifier: Apache-2.0
// Measures records pushed by one device and pulled by another through the client library, durable
// on both ends.

import AtrestClient
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import Foundation

/// A paired replica in its own directory.
private struct TestDevice {
  let replica: Replica
  let directory: URL

  init(link: String, name: String) async throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-bench-\(UUID().uuidString)")
    replica = try Replica(directory: directory)
    _ = try await replica.pair(PairingLink(parsing: link), name: name)
  }

  func remove() {
    try? FileManager.default.removeItem(at: directory)
  }
}

/// A completed fast. Times have irregular milliseconds, as real ones do.
private func fast(_ index: Int) throws -> Session {
  let noise = Int64(index &* 2_654_435_761 % 3_600_000)
  let start = 1_400_000_000_000 + Int64(index) * 3_600_000 + noise
  guard
    let span = Session.Span(
      start: WallTime(milliseconds: start), end: WallTime(milliseconds: start + 57_000_000 + noise),
      outcome: .completed)
  else { throw BenchmarkError(description: "a fast that cannot be") }
  return Session(id: .random(), span: span, targetMinutes: 960)
}

/// Prints rates as medians over `rounds` runs of each size. CPU time is that of pushing and pulling
/// one record, both clients together; unlike the rates it hardly depends on background load.
///
/// - Parameter way: The transport, for the heading.
func measureThroughput(
  _ server: ServerProcess, way: String, sizes: [Int], rounds: Int
) async throws {
  print("\nRecords through the client library, durable on both ends, \(way) (median of \(rounds))")
  row("records", "pushed/s", "pulled/s", "server us", "clients us", "server MB")
  for size in sizes {
    var pushes: [Double] = []
    var pulls: [Double] = []
    var serverCost = 0.0
    var clientCost = 0.0
    for round in 0..<rounds {
      let link = try server.addAccount("throughput-\(size)-\(round)")
      let source = try await TestDevice(link: link, name: "source")
      defer { source.remove() }
      try source.replica.transaction { transaction in
        for index in 0..<size { try transaction.save(fast(index)) }
      }
      let invitation = try await source.replica.invite(withoutApproval: true)
      let target = try await TestDevice(link: invitation.link.text, name: "target")
      defer { target.remove() }

      let before = (server.processorMicroseconds, ownProcessorMicroseconds())
      let push = try await seconds { _ = try await source.replica.sync() }
      let pull = try await seconds { _ = try await target.replica.sync() }
      serverCost += server.processorMicroseconds - before.0
      clientCost += ownProcessorMicroseconds() - before.1
      guard try source.replica.digest() == target.replica.digest() else {
        throw BenchmarkError(description: "the replicas differ after syncing")
      }
      pushes.append(Double(size) / push)
      pulls.append(Double(size) / pull)
    }
    row(
      figure(Double(size)), figure(quantile(pushes.sorted(), 0.5)),
      figure(quantile(pulls.sorted(), 0.5)),
      figure(serverCost / Double(rounds * size), decimals: 1),
      figure(clientCost / Double(rounds * size), decimals: 1),
      figure(server.peakMegabytes, decimals: 1))
  }
}
