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

/// A device that has pushed nothing yet, of an account of its own.
private func filledDevice(_ server: ServerProcess, records: Int) async throws -> TestDevice {
  let link = try server.addAccount("throughput-\(UUID().uuidString)")
  let device = try await TestDevice(link: link, name: "source")
  try device.replica.transaction { transaction in
    for index in 0..<records { try transaction.save(fast(index)) }
  }
  return device
}

/// Prints how much slower a record is pushed if there are many of them. The sizes alternate, so
/// that background load affects both.
func measureFlatness(_ server: ServerProcess) async throws {
  let (few, many, rounds) = (10_000, 100_000, 5)
  print("\nRecords pushed through the client library, over TLS (median of \(rounds))")
  row("records", "pushed/s", "server us", "client us")
  var rates: [Int: [Double]] = [:]
  var costs: [Int: (server: Double, client: Double)] = [:]
  for _ in 0..<rounds {
    // Several of few: each is over in a fifth of a second.
    for size in Array(repeating: few, count: 3) + [many] {
      let device = try await filledDevice(server, records: size)
      defer { device.remove() }
      let before = (server.processorMicroseconds, ownProcessorMicroseconds())
      let time = try await seconds { _ = try await device.replica.sync() }
      rates[size, default: []].append(Double(size) / time)
      let runs = Double(size * rounds * (size == few ? 3 : 1))
      costs[size, default: (0, 0)].server += (server.processorMicroseconds - before.0) / runs
      costs[size, default: (0, 0)].client += (ownProcessorMicroseconds() - before.1) / runs
    }
  }
  let medians = [few, many].map { quantile(rates[$0, default: []].sorted(), 0.5) }
  for (size, median) in zip([few, many], medians) {
    let cost = costs[size, default: (0, 0)]
    row(
      figure(Double(size)), figure(median), figure(cost.server, decimals: 1),
      figure(cost.client, decimals: 1))
  }
  let ratio = figure(medians[1] / medians[0], decimals: 2)
  print("\(figure(Double(many))) / \(figure(Double(few))): \(ratio)")
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
    for _ in 0..<rounds {
      let source = try await filledDevice(server, records: size)
      defer { source.remove() }
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
