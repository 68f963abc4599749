// SPDX-License-Identifier: Apache-2.0
// Measures how long after a commit on one daemon a stream of another one hears of it.

import AtrestReplication
import AtrestWire
import Foundation

/// Prints the time from the answer to a push on one daemon to the event on a stream of each.
///
/// - Parameters:
///   - near: Where a device pushes.
///   - far: Another daemon of the same database.
func measureDelivery(from near: ServerProcess, to far: ServerProcess) async throws {
  let caller = try await Caller(near, account: "delivery-\(UUID().uuidString)")
  for (name, server) in [("the same daemon", near), ("another daemon", far)] {
    let samples = try await deliveries(of: caller, to: server, count: 500).sorted()
    for (share, fraction) in [("p50", 0.5), ("p99", 0.99)] {
      report("commit to event on \(name), ms, \(share)", quantile(samples, fraction))
    }
  }
}

/// - Returns: Milliseconds. Negative if the event is here before the answer to the push is.
private func deliveries(
  of caller: Caller, to server: ServerProcess, count: Int
) async throws -> [Double] {
  var account = try FilledAccount(caller)
  let channel = try Caller(caller, at: server.address).channel()
  let (arrivals, arrived) = AsyncThrowingStream.makeStream(
    of: (sequence: UInt64, at: ContinuousClock.Instant).self)
  let stream = channel.serverStream(
    Method.Sync.watch, WatchRequest(cursor: nil).encoded, metadata: caller.metadata)
  let reading = Task {
    do {
      for try await event in stream {
        let now = ContinuousClock.now
        arrived.yield((try WatchResponse(decoding: event).cursor.sequence, now))
      }
      arrived.finish()
    } catch {
      arrived.finish(throwing: error)
    }
  }
  var events = arrivals.makeAsyncIterator()
  // The first one says that the stream is open.
  _ = try await events.next()
  var milliseconds: [Double] = []
  for _ in 0..<count {
    let sequence = try await account.push([account.nextOffer()])?.sequence ?? 0
    let answered = ContinuousClock.now
    while let event = try await events.next() {
      guard event.sequence >= sequence else { continue }
      let duration = event.at - answered
      milliseconds.append(Double(duration.components.attoseconds) / 1e15)
      break
    }
    // At a pace at which no commit waits for the news of the one before.
    try await Task.sleep(for: .milliseconds(5))
  }
  reading.cancel()
  await channel.close()
  await account.channel.close()
  guard milliseconds.count == count else {
    throw BenchmarkError(description: "the stream ended before all was heard")
  }
  return milliseconds
}
