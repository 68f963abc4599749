// SPDX-License-Identifier: Apache-2.0
// The account as a whole: what it holds and may hold, what happened to it, everything in it, and
// its end.

import AtrestProtocol
import AtrestReplication

import struct AtrestReplication.Record

extension Replica {
  /// What the account holds on its server, and what it may.
  public func account() async throws(SyncError) -> GetAccountResponse {
    var answer = try await withServer { _, _, transport throws(SyncError) in
      try await transport.account()
    }
    answer.name = shown(answer.name)
    return answer
  }

  /// Removes the account from its server, with all that the server holds of it, for all of its
  /// devices. Afterwards this replica is not paired; everything in it stays.
  ///
  /// - Parameter name: The account's name, exactly, as a person typed it.
  /// - Throws: `.refused` if the name is another one. After `.unreachable` nobody knows whether it
  ///   was done; trying again tells.
  public func deleteAccount(named name: String) async throws(SyncError) {
    try await withServer { replica, _, transport throws(SyncError) in
      try await transport.deleteAccount(DeleteAccountRequest(accountName: name))
      do throws(ReplicaError) {
        try await replica.offload { () throws(ReplicaError) in try replica.unpair() }
      } catch {
        // Somebody else has unpaired it already.
        guard case .pairingEnded = error else { throw .replica(error) }
      }
    }
  }

  /// A page of what happened to the account, newest first.
  ///
  /// - Parameters:
  ///   - number: Only what has a smaller number; zero: from the newest on.
  ///   - limit: 1 to 500.
  /// - Returns: The events, and whether there are older ones.
  public func events(
    before number: UInt64 = 0, limit: Int = Int(EventPage.usual)
  ) async throws(SyncError) -> EventsResponse {
    let request = EventsRequest(
      before: number, limit: min(max(UInt32(clamping: limit), 1), EventPage.limit))
    return try await withServer { _, _, transport throws(SyncError) in
      try await transport.events(request)
    }
  }

  /// Syncs, so that what waits here is among it; then reads everything that the server holds of the
  /// account, from its beginning, in one connection. Memory stays bounded by what `take` keeps:
  /// pages come one by one.
  ///
  /// - Parameter take: Called for each part, in order. What it throws ends the reading, and is
  ///   thrown.
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

/// What reading an account needs of the way to a server, beside exchanging. Throws as that.
package protocol AccountTransport: Sendable {
  /// What it holds, and what it may.
  func account() async throws(SyncError) -> GetAccountResponse
  /// Its devices.
  func devices() async throws(SyncError) -> ListDevicesResponse
  /// A page of what happened to it.
  func events(_ request: EventsRequest) async throws(SyncError) -> EventsResponse
}

/// A part of all that a server holds of an account.
public enum AccountPart: Sendable {
  /// What it holds and may. Comes first.
  case account(GetAccountResponse)
  /// Its devices. Comes second.
  case devices([Device])
  /// A page of what happened to it, newest first.
  case events([Event])
  /// A page of its records, deleted ones, the journal, and kinds that this build does not know
  /// included, in the order in which the server took them. A record that changes while it is read
  /// comes again, later.
  case records([Record])
}

extension SyncEngine {
  /// Reads an account part by part. Calls that fail are tried again while that may help.
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
      guard try !check(answer, to: asked) else {
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
