// SPDX-License-Identifier: Apache-2.0
// Measures many watching connections, spread over several daemons of a filled database.

import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestWire
import Foundation
import Synchronization

/// Prints the daemons' memory for each watching connection, and how long it takes until each has
/// heard of a commit that another daemon took.
///
/// - Parameter count: Connections, each of an account of its own.
func measureWatchers(_ servers: [ServerProcess], connections count: Int) async throws {
  let probe = try await Caller(servers[0], account: "probe-\(UUID().uuidString)")
  let shards = try (0..<2).map { try Shard(label: "load.\($0)") }
  @Sendable func caller(_ index: Int, at server: Int) throws -> Caller {
    try NumberedDevice(index).caller(like: probe, at: servers[server % servers.count].address)
  }
  let before = servers.map(\.residentMegabytes)
  let heard = Heard(count)
  let channels = try (0..<count).map { index in
    try caller(index, at: index).channel(shard: shards[index % shards.count])
  }
  let readers = Mutex<[Task<Void, Never>]>([])
  let opening = try await seconds {
    try await eachOf(count) { index in
      let stream = channels[index].serverStream(
        Method.Sync.watch, WatchRequest(cursor: nil).encoded,
        metadata: try caller(index, at: index).metadata)
      var events = stream.makeAsyncIterator()
      guard try await events.next() != nil else {
        throw BenchmarkError(description: "a stream ended at once")
      }
      let reader = Task {
        while let bytes = try? await events.next(), let event = try? WatchResponse(decoding: bytes)
        {
          heard.note(index, event.cursor)
        }
      }
      readers.withLock { $0.append(reader) }
    }
  }
  let memory = zip(servers, before).map { $0.residentMegabytes - $1 }
  report("connections opened a second", Double(count) / opening)
  report("daemons' memory a connection, kB", memory.reduce(0, +) * 1024 / Double(count))
  report("a daemon's resident memory, MB", servers.map(\.residentMegabytes).max() ?? 0)

  let pushers = try servers.indices.map { try caller(0, at: $0).channel(shard: shards[0]) }
  let started = ContinuousClock.now
  let pushing = try await seconds {
    try await eachOf(count) { index in
      // At another daemon than the one where it watches.
      let device = NumberedDevice(index)
      var account = try FilledAccount(
        caller(index, at: index + 1), on: pushers[(index + 1) % servers.count], at: device.cursor)
      try await account.push([account.nextOffer()])
    }
  }
  let last = await heard.all() - started
  report("commits a second, meanwhile", Double(count) / pushing)
  report("all heard of one commit each after the first push, s", last / .seconds(1))
  report(
    "the last heard after the last push was answered, ms", (last / .seconds(1) - pushing) * 1e3)
  for reader in readers.withLock({ $0 }) { reader.cancel() }
  for channel in channels + pushers { await channel.close() }
  for shard in shards { await shard.stop() }
}

/// Who has heard of a later commit than the one they were filled with.
private final class Heard: Sendable {
  private let state: Mutex<(waiting: Set<Int>, last: ContinuousClock.Instant)>
  private let (finished, finish) = AsyncStream<Void>.makeStream()

  init(_ count: Int) {
    state = Mutex((Set(0..<count), .now))
  }

  func note(_ index: Int, _ cursor: Cursor) {
    guard cursor.sequence > UInt64(NumberedDevice.records) else { return }
    let isLast = state.withLock { state in
      guard state.waiting.remove(index) != nil else { return false }
      state.last = .now
      return state.waiting.isEmpty
    }
    if isLast { finish.finish() }
  }

  /// When the last one had heard.
  func all() async -> ContinuousClock.Instant {
    for await _ in finished {}
    return state.withLock { $0.last }
  }
}
