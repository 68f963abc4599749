// SPDX-License-Identifier: Apache-2.0
// The union of two sets of reads.

extension StoreQueries {
  /// Adds the reads of `other`. Numbers for new events add up: each transaction draws its own.
  mutating func formUnion(_ other: StoreQueries) {
    departures.formUnion(other.departures)
    feedStates.formUnion(other.feedStates)
    positions.formUnion(other.positions)
    accounts.formUnion(other.accounts)
    accountNames.formUnion(other.accountNames)
    accountNumbers.formUnion(other.accountNumbers)
    everyAccount = everyAccount || other.everyAccount
    records.formUnion(other.records)
    feedChunks.formUnion(other.feedChunks)
    keyChunks.formUnion(other.keyChunks)
    rangeChunks.formUnion(other.rangeChunks)
    due.formUnion(other.due)
    devices.formUnion(other.devices)
    destinations.formUnion(other.destinations)
    deviceLists.formUnion(other.deviceLists)
    everyDevice = everyDevice || other.everyDevice
    outboxes.formUnion(other.outboxes)
    invitations.formUnion(other.invitations)
    invitationLists.formUnion(other.invitationLists)
    attempts.formUnion(other.attempts)
    holders.formUnion(other.holders)
    appAccountTokens.formUnion(other.appAccountTokens)
    appAccounts.formUnion(other.appAccounts)
    lastEvents.formUnion(other.lastEvents)
    eventNumbers += other.eventNumbers
    settledEvent = settledEvent || other.settledEvent
    eventPages.formUnion(other.eventPages)
    eventChunks.formUnion(other.eventChunks)
  }
}
