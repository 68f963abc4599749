// SPDX-License-Identifier: Apache-2.0
// Account-wide calls: usage and limits, what the server can do, events, a full read, and removal.

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

  /// The version, the limits and the capabilities of this replica's server.
  ///
  /// - Throws: `SyncError`: `.refused` by a server that is older than this call.
  public func serverInfo() async throws(SyncError) -> ServerInfo {
    var answer = try await withServer { _, _, transport throws(SyncError) in
      try await transport.serverInfo()
    }
    answer.version = shown(answer.version)
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
      try await transport.deleteAccount(AccountsDeleteRequest(accountName: name))
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
  ///   - size: The most events to return, clamped to 1...500.
  ///   - token: `nextPage` of the page before; nil starts at the newest.
  /// - Returns: The events, and the token of the page with older ones; nil if there are none.
  /// - Throws: `SyncError`.
  public func events(
    size: Int = Int(EventPage.usual), page token: String? = nil
  ) async throws(SyncError) -> (events: [AccountEvent], nextPage: String?) {
    let request = EventsRequest(
      pageSize: min(max(UInt32(clamping: size), 1), EventPage.limit), pageToken: token ?? "")
    let page = try await withServer { _, _, transport throws(SyncError) in
      try await transport.events(request)
    }
    return (page.events, page.nextPageToken.isEmpty ? nil : page.nextPageToken)
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
  func account() async throws(SyncError) -> AccountsGetResponse
  /// The account's devices.
  func devices() async throws(SyncError) -> DevicesListResponse
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
    var request = EventsRequest(pageSize: EventPage.limit)
    var oldest = UInt64.max
    while true {
      let asked = request
      let page = try await repeated { () throws(SyncError) in try await way.events(asked) }
      if !page.events.isEmpty { try take(.events(page.events)) }
      guard !page.nextPageToken.isEmpty else { break }
      guard let last = page.events.last?.number, last < oldest else {
        throw SyncError.badAnswer("there are older events, but they do not come")
      }
      oldest = last
      request.pageToken = page.nextPageToken
    }
    try await readRecords(take)
  }

  /// Reads all records of the account, page by page, without storing them.
  private func readRecords(_ take: (AccountPart) throws -> Void) async throws {
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
      request.follow(answer)
    }
  }
}
