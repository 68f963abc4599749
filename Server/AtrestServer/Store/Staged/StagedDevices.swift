// SPDX-License-Identifier: Apache-2.0
// Devices of a staged transaction.

import AtrestDomain
import AtrestReplication
import AtrestWire

final class StagedDevices: DeviceStore {
  private let staging: Staging

  init(_ staging: Staging) {
    self.staging = staging
  }

  func add(_ device: DeviceEntry) throws(StoreError) -> Bool {
    try staging.expectWrite(to: device.account)
    guard try find(device.replica) == nil else { return false }
    var new = device
    new.progress = DeviceProgress()
    staging.changes.addedDevices[device.replica] = new
    return true
  }

  func find(_ device: ReplicaID) throws(StoreError) -> DeviceEntry? {
    if let added = staging.changes.addedDevices[device] { return current(added) }
    let known = try staging.value(staging.reads.devices[device]) { $0.devices.insert(device) }
    return known.flatMap { isRemoved($0) ? nil : current($0) }
  }

  func destination(of device: ReplicaID) throws(StoreError) -> CellNumber? {
    try staging.value(staging.reads.destinations[device]) { $0.destinations.insert(device) }
  }

  func list(of account: AccountID?) throws(StoreError) -> [DeviceEntry] {
    guard let account else { return try listAll() }
    let added = staging.changes.addedDevices.values.filter { $0.account == account }
    guard staging.changes.addedAccounts[account] == nil, !staging.isRemoved(account) else {
      return added.map(current).sorted(by: Self.isOlder)
    }
    try staging.expectLock(on: account)
    let known = try staging.value(staging.reads.deviceLists[account]) {
      $0.deviceLists.insert(account)
    }
    return (known + added).map(current).sorted(by: Self.isOlder)
  }

  private func listAll() throws(StoreError) -> [DeviceEntry] {
    let known = try staging.value(staging.reads.everyDevice) { $0.everyDevice = true }
    // In the order of names, which only the database has.
    var all = known.filter { !isRemoved($0) }.map(current)
    for device in staging.changes.addedDevices.values.sorted(by: Self.isOlder) {
      let end = all.lastIndex { $0.account == device.account }.map { $0 + 1 } ?? all.count
      all.insert(current(device), at: end)
    }
    return all
  }

  private static func isOlder(_ a: DeviceEntry, _ b: DeviceEntry) -> Bool {
    // Identities are compared as the database has them: as signed numbers.
    (a.paired.milliseconds, Int64(bitPattern: a.replica.rawValue))
      < (b.paired.milliseconds, Int64(bitPattern: b.replica.rawValue))
  }

  private func isRemoved(_ device: DeviceEntry) -> Bool {
    staging.isRemoved(device.account)
  }

  /// A device with what this transaction changed of it.
  private func current(_ device: DeviceEntry) -> DeviceEntry {
    var device = device
    let address = device.address
    device.name = staging.changes.names[address] ?? device.name
    device.revoked = device.revoked ?? staging.changes.revocations[address]
    if let seen = staging.changes.seen[address] {
      device.seen = max(seen, device.seen ?? WallTime(milliseconds: 0))
    }
    device.progress = staging.changes.progress[address] ?? device.progress
    return device
  }

  func revoke(_ devices: [DeviceAddress], at time: WallTime) throws(StoreError) {
    for device in devices {
      try staging.expectWrite(to: device.account)
      if staging.changes.revocations[device] == nil { staging.changes.revocations[device] = time }
    }
  }

  func rename(_ device: DeviceAddress, to name: String) throws(StoreError) {
    try staging.expectWrite(to: device.account)
    staging.changes.names[device] = name
  }

  func note(
    seen: [DeviceAddress: WallTime], progress: [DeviceAddress: DeviceProgress]
  ) throws(StoreError) {
    for (device, time) in seen {
      try staging.expectWrite(to: device.account)
      staging.changes.seen[device] = max(time, staging.changes.seen[device] ?? time)
    }
    for (device, progress) in progress {
      try staging.expectWrite(to: device.account)
      staging.changes.progress[device] = progress
    }
  }

  // MARK: Outboxes

  func outbox(of device: DeviceAddress) throws(StoreError) -> DeviceOutbox {
    if let changed = staging.changes.outboxes[device] { return changed }
    if staging.changes.addedDevices[device.replica] != nil || staging.isRemoved(device.account) {
      return .empty
    }
    try staging.expectLock(on: device.account)
    return try staging.value(staging.reads.outboxes[device]) { $0.outboxes.insert(device) }
  }

  func setOutbox(_ outbox: DeviceOutbox, of device: DeviceAddress) throws(StoreError) {
    try staging.expectWrite(to: device.account)
    // Of an unknown device nothing is kept.
    guard try find(device.replica) != nil else { return }
    staging.changes.outboxes[device] = outbox
  }
}
