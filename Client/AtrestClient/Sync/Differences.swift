// SPDX-License-Identifier: Apache-2.0
// What a replica and its server hold differently, found without changing either.

import AtrestProtocol
import AtrestReplication

/// What a replica and its server hold differently.
public struct Differences: Hashable, Sendable {
  /// Records the server has and the replica has not.
  public var missingHere: Set<RecordKey> = []
  /// Records the replica has and the server has not.
  public var missingThere: Set<RecordKey> = []
  /// Records both have, and not alike.
  public var different: Set<RecordKey> = []
  /// Records that other devices wrote since the last sync. They are among none of the above.
  public var news: Set<RecordKey> = []
  /// Whether the server lost something that this replica had seen.
  public var isRestarted = false
  /// By how much the server's clock was ahead of this device's, in milliseconds.
  public var serverOffsetMilliseconds: Int64 = 0

  /// Nothing.
  public init() {}

  /// Records that differ.
  public var count: Int { missingHere.count + missingThere.count + different.count }
}

extension SyncEngine {
  /// Compares once, and stores nothing.
  ///
  /// - Parameter waiting: Keys of records that are known to differ, because writes of them wait.
  func differences(waiting: Set<RecordKey>) async throws(SyncError) -> Differences {
    var found = Differences()
    do {
      let position = try await store.position()
      if let credential = position.credential { try transport.use(credential) }
      var (received, wanted): (Set<RecordKey>, Set<RecordKey>) = ([], [])
      _ = try await compare(storing: false) { step, _ in
        received.formUnion(try step.records.map(key))
        wanted.formUnion(step.wanted)
        return true
      }
      // After comparing, so that nothing the server took in meanwhile is taken for a difference.
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

  /// Reads what the feed holds beyond the replica's cursor.
  private func readNews(from position: SyncPosition, into found: inout Differences) async throws {
    var cursor = position.cursor
    while true {
      let request = ExchangeRequest(
        cursor: cursor, lastKnownHead: position.lastKnownHead, isPeek: true)
      let answer = try await repeated { () throws(SyncError) in
        try await transport.exchange(request)
      }
      var offset = ServerOffset()
      offset.learn(answer.serverTime, now: clock.now())
      found.serverOffsetMilliseconds = offset.milliseconds
      guard try !check(answer, to: request) else {
        found.isRestarted = true
        return
      }
      found.news.formUnion(try answer.records.map(key))
      guard answer.more else { return }
      cursor = answer.cursor
    }
  }

  private func key(of record: [UInt8]) throws(SyncError) -> RecordKey {
    do { return try Record(decoding: record).key } catch {
      throw .badAnswer("it holds a record against the rules")
    }
  }
}
