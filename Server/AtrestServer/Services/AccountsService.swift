// SPDX-License-Identifier: Apache-2.0
// The Accounts service: usage, limits, audit log, removal.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire

/// Implements the Accounts service, independent of connections.
package final class AccountsService: Sendable {
  private let queue: any StorageQueue
  private let devices: DevicesService
  /// What the server lets each account store and send.
  let limits: AccountLimits

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - quota: The quota of every account.
  ///   - messageBytes: Maximum bytes of one message.
  package init(
    queue: any StorageQueue, devices: DevicesService, quota: AccountQuota = .standard,
    messageBytes: Int = Limits.default.maxMessageBytes
  ) {
    self.queue = queue
    self.devices = devices
    limits = AccountLimits(
      records: UInt64(clamping: quota.records), bytes: UInt64(clamping: quota.bytes),
      messageBytes: UInt32(clamping: messageBytes),
      recordsPerRequest: UInt32(clamping: Page.records),
      valueBytes: UInt32(clamping: Record.Limits.valueBytes),
      recordBytes: UInt32(clamping: Record.Limits.encodedBytes),
      watchStreams: UInt32(clamping: DeviceSession.maxWatches))
  }

  /// Returns the usage and the limits of the caller's account.
  package func get(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    _ = try decoded(EmptyMessage.self, bytes)
    let limits = limits
    try queue.perform(by: .device(session), use: .reads, answer: answer()) {
      batch throws(StoreError) -> AccountEntry? in
      // The device may have been revoked after the call was authenticated.
      guard try batch.allows(session) else { return nil }
      guard var account = try batch.transaction.accounts.find(session.account.id) else {
        return nil
      }
      // The account's row does not yet include the other jobs of this transaction.
      let held = try batch.feed(of: session.account.id).holdings
      (account.records, account.bytes) = (held.records, held.bytes)
      return account
    } reply: { account in
      guard let account else { return .fail(.unknownDevice) }
      return .reply(
        AccountsGetResponse(
          name: account.name, created: account.created, devices: UInt32(clamping: account.devices),
          records: UInt64(clamping: account.records), bytes: UInt64(clamping: account.bytes),
          limits: limits
        ).packed)
    }
    return .later
  }

  package func delete(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let name = try decoded(AccountsDeleteRequest.self, bytes).accountName
    guard name == session.account.name else { throw .wrongAccountName }
    try devices.removeAccount(by: session.replica, for: .urgent(session), answer: answer()) {
      batch throws(StoreError) in
      let account = session.account.id
      guard try batch.allows(session) else { return .refused(.unknownDevice) }
      return .account(account)
    }
    return .later
  }

  /// Returns a page of the account's audit log, newest event first.
  package func events(
    _ session: DeviceSession, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(EventsRequest.self, bytes)
    let limit = Int(request.pageSize)
    let last = try EventPage.lastNumber(before: request.pageToken)
    try queue.perform(
      by: .device(session), use: .reads, answer: answer(), size: AnswerSize.list
    ) { batch throws(StoreError) -> [EventEntry]? in
      guard try batch.allows(session) else { return nil }
      return try batch.transaction.events.page(
        of: session.account.id, before: last, limit: limit + 1)
    } reply: { entries in
      guard let entries else { return .fail(.unknownDevice) }
      let events = entries.prefix(limit).map(\.shown)
      return .reply(
        EventsResponse(
          events: events, nextPageToken: EventPage.token(after: events, of: entries.count)
        ).packed)
    }
    return .later
  }
}
