// SPDX-License-Identifier: Apache-2.0
// Test support for housekeeping: an account with two active devices on its own store.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

let day: Int64 = 24 * 3600 * 1000

class HousekeptAccount: TwoDevices {
  override init() throws {
    try super.init()
    try see(phone)
    try see(tablet)
  }

  /// Records a call of the device.
  func see(_ device: ReplicaID, at time: Int64 = noon) throws {
    try store.transaction { t throws(StoreError) in
      try t.devices.note(seen: [kim[device]: WallTime(milliseconds: time)], progress: [:])
    }
  }

  func housekeep(at time: Int64) throws {
    try store.housekeep(account: kim, at: WallTime(milliseconds: time))
  }

  @discardableResult
  func push(
    _ bytes: [UInt8], by device: ReplicaID = phone, at time: Int64
  ) throws -> Cursor {
    let answer = try store.exchange(
      kim, ExchangeRequest(cursor: nil, offers: [bytes]), by: device, at: time)
    #expect(answer.refusals.isEmpty)
    return answer.head
  }

  /// The account's records. The caller is an unknown device without an acknowledged position.
  func stored() throws -> [Record] {
    try store.exchange(kim, request(), by: ReplicaID(rawValue: 999)).decodedRecords
  }

  /// The device reads everything and acknowledges it.
  func catchUp(_ device: ReplicaID, at time: Int64 = noon) throws {
    var cursor: Cursor?
    for _ in 0..<2 {
      cursor = try store.exchange(kim, request(cursor), by: device, at: time).cursor
    }
  }

  func conflicts() throws -> [Conflict] {
    try stored().filter { $0.key.kind == .conflict && !$0.isDeleted }
      .map { record throws(WireError) in try Conflict(record) }.sorted { $0.field < $1.field }
  }
}
