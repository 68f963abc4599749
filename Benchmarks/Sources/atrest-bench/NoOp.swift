// SPDX-License-Identifier: Apache-2.0
// Measures exchanges without changes, the most common call of a device.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestWire
import Foundation
import Synchronization

/// Keeps a number of streams busy per connection until enough calls were answered.
final class NoOpLoad: Sendable {
  private struct State {
    var started = 0
    var microseconds: [Double] = []
    var failures = 0
  }

  private let path = Method.Sync.exchange
  private let request: [UInt8]
  private let metadata: Metadata
  private let calls: Int
  private let state = Mutex(State())
  private let finished: AsyncStream<Void>
  private let finish: AsyncStream<Void>.Continuation

  init(request: [UInt8], metadata: Metadata, calls: Int) {
    self.request = request
    self.metadata = metadata
    self.calls = calls
    (finished, finish) = AsyncStream.makeStream()
  }

  /// Runs the load; returns sorted latencies in microseconds, and the number of failures.
  func run(channels: [GRPCChannel], streams: Int) async -> (microseconds: [Double], failures: Int) {
    for channel in channels {
      for _ in 0..<streams { next(on: channel) }
    }
    for await _ in finished {}
    return state.withLock { ($0.microseconds.sorted(), $0.failures) }
  }

  private func next(on channel: GRPCChannel) {
    let mayStart = state.withLock { state in
      guard state.started < calls else { return false }
      state.started += 1
      return true
    }
    guard mayStart else { return }
    let start = ContinuousClock.now
    channel.startUnary(path, request, metadata: metadata) { [self] result in
      let duration = ContinuousClock.now - start
      let isLast = state.withLock { state in
        switch result {
        case .success: state.microseconds.append(Double(duration.components.attoseconds) / 1e12)
        case .failure: state.failures += 1
        }
        return state.microseconds.count + state.failures == calls
      }
      if isLast { finish.finish() } else { next(on: channel) }
    }
  }
}

/// Prints rates, latencies and server cost for 1 and 64 connections with 1 and 20 streams each.
func measureNoOps(_ server: ServerProcess, _ caller: Caller) async throws {
  print(
    "\nNo-op exchanges (token checked, cursor compared, nothing new), "
      + (caller.trust == nil ? "in the clear" : "over TLS"))
  row("connections x streams", "calls/s", "p50 us", "p99 us", "server us/call")
  let shard = try Shard(label: "load")
  let request = try await ExchangeRequest(cursor: caller.head()).encoded
  for (connections, streams, calls) in [
    (1, 1, 20_000), (1, 20, 200_000), (64, 1, 200_000), (64, 20, 400_000),
  ] {
    var channels: [GRPCChannel] = []
    for _ in 0..<connections { channels.append(try caller.channel(shard: shard)) }
    let warmUp = NoOpLoad(
      request: request, metadata: caller.metadata, calls: connections * streams * 20)
    _ = await warmUp.run(channels: channels, streams: streams)
    let load = NoOpLoad(request: request, metadata: caller.metadata, calls: calls)
    let before = server.processorMicroseconds
    var result: (microseconds: [Double], failures: Int) = ([], 0)
    let elapsed = await seconds { result = await load.run(channels: channels, streams: streams) }
    let cost = (server.processorMicroseconds - before) / Double(calls)
    row(
      "\(connections) x \(streams)", figure(Double(calls) / elapsed),
      figure(quantile(result.microseconds, 0.5)), figure(quantile(result.microseconds, 0.99)),
      figure(cost, decimals: 1))
    if result.failures > 0 { print("  \(result.failures) of \(calls) calls failed") }
    for channel in channels { await channel.close() }
  }
  try await measureFirstCalls(server, caller, request, shard)
  await shard.stop()
}

/// Prints the cost of connecting, a handshake, one call and closing: an `atrest sync` without
/// changes.
private func measureFirstCalls(
  _ server: ServerProcess, _ caller: Caller, _ request: [UInt8], _ shard: Shard
) async throws {
  let calls = 1_000
  var microseconds: [Double] = []
  let before = server.processorMicroseconds
  let elapsed = try await seconds {
    for _ in 0..<calls {
      let channel = try caller.channel(shard: shard, isUnauthenticated: true)
      let time = try await seconds {
        _ = try await channel.unary(Method.Sync.exchange, request, metadata: caller.metadata)
      }
      microseconds.append(time * 1e6)
      await channel.close()
    }
  }
  let sorted = microseconds.sorted()
  row(
    "a connection for each", figure(Double(calls) / elapsed), figure(quantile(sorted, 0.5)),
    figure(quantile(sorted, 0.99)),
    figure((server.processorMicroseconds - before) / Double(calls), decimals: 1))
}
