// SPDX-License-Identifier: Apache-2.0
// Loads devices and their outboxes.

import AtrestDomain
import AtrestPostgreSQL
import AtrestReplication
import AtrestWire

extension PostgresLoad {
  static let deviceColumns = """
    d.replica, d.account, d.name, d.token_hash, d.paired_ms, d.seen_ms, d.revoked_ms, d.parent,
    d.approver, d.is_renewed, d.acknowledged_sequence, d.told_sequence
    """

  static func devices(_ replicas: Set<ReplicaID>) -> Part? {
    guard !replicas.isEmpty else { return nil }
    let statement = PostgresStatement(
      PostgresStatements.devices, [.bits(replicas, \.rawValue)])
    return Part(statement) { rows, reads throws(StoreError) in
      for replica in replicas { reads.devices.updateValue(nil, forKey: replica) }
      for values in rows {
        let device = try DeviceEntry(PostgresRow(values))
        reads.devices.updateValue(device, forKey: device.replica)
      }
    }
  }

  static func destinations(_ replicas: Set<ReplicaID>) -> Part? {
    guard !replicas.isEmpty else { return nil }
    let statement = PostgresStatement(
      "SELECT replica, cell FROM atrest.moved WHERE replica = ANY ($1)",
      [.bits(replicas, \.rawValue)])
    return Part(statement) { rows, reads throws(StoreError) in
      for replica in replicas { reads.destinations.updateValue(nil, forKey: replica) }
      for values in rows {
        let row = PostgresRow(values)
        reads.destinations.updateValue(try row.cell(1), forKey: try row.replica(0))
      }
    }
  }

  static func deviceLists(_ accounts: Set<AccountID>) -> Part? {
    guard !accounts.isEmpty else { return nil }
    let statement = PostgresStatement(
      """
      SELECT \(deviceColumns) FROM atrest.device AS d WHERE d.account = ANY ($1)
      ORDER BY d.paired_ms, d.replica
      """, [.integers(accounts, \.rawValue)])
    return Part(statement) { rows, reads throws(StoreError) in
      for account in accounts { reads.deviceLists[account] = [] }
      for values in rows {
        let device = try DeviceEntry(PostgresRow(values))
        reads.deviceLists[device.account, default: []].append(device)
      }
    }
  }

  static func everyDevice(_ isAsked: Bool) -> Part? {
    guard isAsked else { return nil }
    let statement = PostgresStatement(
      """
      SELECT \(deviceColumns) FROM atrest.account AS a
      JOIN atrest.device AS d ON d.account = a.id ORDER BY a.name, d.paired_ms, d.replica
      """)
    return Part(statement) { rows, reads throws(StoreError) in
      reads.everyDevice = try rows.map { values throws(StoreError) in
        try DeviceEntry(PostgresRow(values))
      }
    }
  }

  static func outboxes(_ devices: Set<DeviceAddress>) -> Part? {
    guard !devices.isEmpty else { return nil }
    let asked = Array(devices)
    let statement = PostgresStatement(
      PostgresStatements.outboxes,
      [.integers(asked, \.account.rawValue), .bits(asked, \.replica.rawValue)])
    return Part(statement) { rows, reads throws(StoreError) in
      for device in asked { reads.outboxes[device] = .empty }
      for values in rows {
        let row = PostgresRow(values)
        guard let refusals = DeviceOutbox.refusals(decoding: try row.bytes(3)) else {
          throw .wrongRow("a device's refusals cannot be read")
        }
        reads.outboxes[asked[try row.index(0, below: asked.count)]] = DeviceOutbox(
          takenThrough: OutboxPosition(number: try row.bits(1), token: try row.bits(2)),
          refusals: refusals)
      }
    }
  }
}

extension DeviceEntry {
  /// From `PostgresLoad.deviceColumns`.
  init(_ row: PostgresRow) throws(StoreError) {
    self.init(
      replica: try row.replica(0), account: try row.account(1), name: try row.text(2),
      tokenHash: try row.bytes(3), paired: try row.time(4), seen: try row.optionalTime(5),
      revoked: try row.optionalTime(6),
      origin: DeviceOrigin(
        parent: try row.optionalReplica(7), approver: try row.optionalReplica(8),
        isRenewed: try row.flag(9)),
      progress: DeviceProgress(
        acknowledgedSequence: try row.bits(10), toldSequence: try row.bits(11)))
  }
}
