// SPDX-License-Identifier: Apache-2.0
// Finds the differences between a replica and its server without changing either.

import AtrestReplication
import AtrestSync
import AtrestWire

/// The differences between a replica and its server.
public struct Differences: Hashable, Sendable {
  /// Records that only the server has.
  public var missingHere: Set<RecordKey> = []
  /// Records that only the replica has.
  public var missingThere: Set<RecordKey> = []
  /// Records that both have with different contents.
  public var different: Set<RecordKey> = []
  /// Records that other devices wrote since the last sync. They are in none of the sets above.
  public var news: Set<RecordKey> = []
  /// Whether the server lost something that this replica had seen.
  public var isRestarted = false
  /// How far the server's clock leads this device's, in milliseconds.
  public var serverOffsetMilliseconds: Int64 = 0

  /// Creates an empty result.
  public init() {}

  /// The number of records that differ.
  public var count: Int { missingHere.count + missingThere.count + different.count }
}

extension SyncEngine {
  /// Compares once and stores nothing.
  ///
  /// - Parameter waiting: Keys of records with waiting writes, which are expected to differ.
  func differences(waiting: Set<RecordKey>) async throws(SyncError) -> Differences {
    var found = Differences()
    do {
      guard case .position(let position) = try await store.perform(.position),
        case .hashes(let held) = try await store.perform(.hashes)
      else { preconditionFailure("the store replies to what it is asked") }
      if let credential = position.credential { try transport.use(credential) }
      var (received, wanted): (Set<RecordKey>, Set<RecordKey>) = ([], [])
      var reconciler = Reconciler(held: held)
      while let request = reconciler.next() {
        let answer = try await repeated { () throws(SyncError) in
          try await transport.reconcile(request)
        }
        let step = try reconciler.take(answer)
        received.formUnion(try step.records.map(key))
        wanted.formUnion(step.wanted)
      }
      // Read after the comparison, so that records committed meanwhile do not count as differences.
      try await readNews(from: position, into: &found)
      let explained = waiting.union(found.news)
      found.missingHere = received.subtracting(wanted).subtracting(explained)
      found.missingThere = wanted.subtracting(received).subtracting(explained)
      found.different = received.intersection(wanted).subtracting(explained)
    } catch {
      throw SyncError(error)
    }
    return found
  }

  /// Reads the feed beyond the replica's cursor.
  private func readNews(from position: SyncPosition, into found: inout Differences) async throws {
    var request = ExchangeRequest(
      cursor: position.cursor, lastKnownHead: position.head, isPeek: true)
    while true {
      let answer = try await repeated { [request] () throws(SyncError) in
        try await transport.exchange(request)
      }
      var offset = ServerOffset()
      offset.learn(answer.serverTime, now: clock.now())
      found.serverOffsetMilliseconds = offset.milliseconds
      guard try !answer.checkedRestart(after: request) else {
        found.isRestarted = true
        return
      }
      found.news.formUnion(try answer.records.map(key))
      guard answer.more else { return }
      request.follow(answer)
    }
  }

  private func key(of record: [UInt8]) throws(SyncError) -> RecordKey {
    do { return try Record(decoding: record).key } catch {
      throw .badAnswer("it holds a record against the rules")
    }
  }
}
