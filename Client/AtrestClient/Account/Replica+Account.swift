// SPDX-License-Identifier: Apache-2.0
// Account-wide calls: usage and limits, events, a full read, and removal.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire

import struct AtrestReplication.Record

extension Replica {
  /// The account's usage and limits on its server.
  ///
  /// - Throws: `SyncError`.
  public func account() async throws(SyncError) -> Account {
    var answer = try await withServer { _, _, transport throws(SyncError) in
      try await transport.account()
    }
    answer.name = shown(answer.name)
    return answer
  }

  /// Removes the account and all of its data from the server, for all of its devices. Afterwards
  /// this replica is unpaired; its records stay.
  ///
  /// - Parameter name: The account's name, exactly, as a person typed it.
  /// - Throws: `.refused` if the name is a different one. After `.unreachable` the outcome is
  ///   unknown; another call tells.
  public func deleteAccount(named name: String) async throws(SyncError) {
    try await withServer { replica, _, transport throws(SyncError) in
      try await transport.deleteAccount(DeleteAccountRequest(accountName: name))
      do throws(ReplicaError) {
        try await replica.offload { () throws(ReplicaError) in try replica.unpair() }
      } catch {
        // Another process has already unpaired the replica.
        guard case .pairingEnded = error else { throw .replica(error) }
      }
    }
  }

  /// A page of the account's events, newest first.
  ///
  /// - Parameters:
  ///   - number: Returns only events with smaller numbers; zero starts at the newest.
  ///   - limit: The most events to return, clamped to 1...500.
  /// - Returns: The events, and whether there are older ones.
  /// - Throws: `SyncError`.
  public func events(
    before number: UInt64 = 0, limit: Int = Int(EventPage.usual)
  ) async throws(SyncError) -> (events: [AccountEvent], hasOlder: Bool) {
    let request = EventsRequest(
      before: number, limit: min(max(UInt32(clamping: limit), 1), EventPage.limit))
    let page = try await withServer { _, _, transport throws(SyncError) in
      try await transport.events(request)
    }
    return (page.events, page.more)
  }

  /// Syncs, so that waiting writes are included, then reads everything that the server has of the
  /// account over one connection. Pages arrive one by one, so memory is bounded by what `take`
  /// keeps.
  ///
  /// - Parameter take: Called for each part, in order. An error that it throws ends the read and is
  ///   rethrown.
  /// - Throws: `SyncError`, and what `take` throws.
  public func readAccount(
    _ take: @escaping @Sendable (AccountPart) throws -> Void
  ) async throws {
    let clock = clock
    let result = try await withServer {
      replica, _, transport throws(SyncError) -> Result<Void, any Error> in
      let engine = SyncEngine(store: replica, transport: transport, clock: clock)
      do {
        _ = try await engine.runCycle()
        try await engine.readAccount(through: transport, take)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }
}

/// The calls beyond the exchange that reading an account needs. All throw `SyncError` like it.
package protocol AccountTransport: Sendable {
  /// The account's usage and limits.
  func account() async throws(SyncError) -> GetAccountResponse
  /// The account's devices.
  func devices() async throws(SyncError) -> ListDevicesResponse
  /// A page of the account's events, newest first.
  func events(_ request: EventsRequest) async throws(SyncError) -> EventsResponse
}

/// A part of everything that a server has of an account.
public enum AccountPart: Sendable {
  /// Usage and limits. Comes first.
  case account(Account)
  /// The account's devices. Comes second.
  case devices([Device])
  /// A page of events, newest first.
  case events([AccountEvent])
  /// A page of records in commit order, including tombstones, journal entries and unknown kinds. A
  /// record that changes during the read is repeated later.
  case records([Record])
}

extension SyncEngine {
  /// Reads an account part by part. Retries calls after transient errors.
  func readAccount(
    through way: some AccountTransport, _ take: (AccountPart) throws -> Void
  ) async throws {
    try take(.account(try await repeated { () throws(SyncError) in try await way.account() }))
    let list = try await repeated { () throws(SyncError) in try await way.devices() }
    try take(.devices(list.devices))
    var before: UInt64 = 0
    while true {
      let request = EventsRequest(before: before, limit: EventPage.limit)
      let page = try await repeated { () throws(SyncError) in try await way.events(request) }
      if !page.events.isEmpty { try take(.events(page.events)) }
      guard page.more else { break }
      guard let oldest = page.events.last?.number, before == 0 || oldest < before else {
        throw SyncError.badAnswer("there are older events, but they do not come")
      }
      before = oldest
    }
    var request = ExchangeRequest(cursor: nil, isPeek: true)
    while true {
      let (asked, answer) = (
        request,
        try await repeated { [request] () throws(SyncError) in
          try await transport.exchange(request)
        }
      )
      guard try !answer.checkedRestart(after: asked) else {
        throw SyncError.refused("it was put back from a copy meanwhile")
      }
      var records: [Record] = []
      for bytes in answer.records {
        do { records.append(try Record(decoding: bytes)) } catch {
          throw SyncError.badAnswer("it holds a record against the rules")
        }
      }
      if !records.isEmpty { try take(.records(records)) }
      guard answer.more else { return }
      request.cursor = answer.cursor
      request.lastKnownHead = answer.head
    }
  }
}
