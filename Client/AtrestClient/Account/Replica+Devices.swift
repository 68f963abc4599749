// SPDX-License-Identifier: Apache-2.0
// The account's devices and pending devices: list, admit, rename, revoke.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire

extension Replica {
  /// The account's devices, oldest first. Stores their names for offline use; see `deviceNames()`.
  ///
  /// - Throws: `SyncError`.
  public func devices() async throws(SyncError) -> [Device] {
    var devices = try await withServer { _, _, transport throws(SyncError) in
      try await transport.devices().devices
    }
    for index in devices.indices { devices[index].name = shown(devices[index].name) }
    let named = devices
    try await local { replica throws(ReplicaError) in try replica.setDeviceNames(named) }
    return devices
  }

  /// Devices that used a valid pairing link and wait for approval, in order of arrival.
  ///
  /// - Throws: `SyncError`.
  public func pendingDevices() async throws(SyncError) -> [PendingDevice] {
    let answer = try await withServer { _, _, transport throws(SyncError) in
      try await transport.pendingDevices()
    }
    return answer.pendingDevices.map { pendingDevice in
      var pendingDevice = pendingDevice
      pendingDevice.name = shown(pendingDevice.name)
      return pendingDevice
    }
  }

  /// Admits or rejects a pending device. The first decision counts.
  ///
  /// - Returns: The admitted device's name; nil if it was rejected.
  /// - Throws: `.notFound` if the device no longer waits.
  @discardableResult
  public func decide(_ handle: UInt64, allow: Bool) async throws(SyncError) -> String? {
    try await withServer { _, _, transport throws(SyncError) in
      try await transport.decide(ResolvePendingDeviceRequest(handle: handle, allow: allow)).admitted
        .map { shown($0.name) }
    }
  }

  /// Renames a device.
  ///
  /// - Parameter name: 1 to 64 bytes.
  /// - Returns: The new name, with a number appended if another device of the account has it.
  /// - Throws: `SyncError`; its `replicaError` is `.invalid` for an invalid name.
  @discardableResult
  public func rename(_ device: ReplicaID, to name: String) async throws(SyncError) -> String {
    let request = DevicesRenameRequest(replica: device, name: try Replica.checked(name: name))
    return try await withServer { _, _, transport throws(SyncError) in
      shown(try await transport.rename(request).name)
    }
  }

  /// Revokes a device's access.
  ///
  /// - Parameter withDescendants: Also revokes its descendants: see `Lineage`. This device, and
  ///   devices that descend only through it, are spared.
  /// - Returns: The revoked devices, and the descendants that still have access.
  /// - Throws: `SyncError`.
  @discardableResult
  public func revoke(
    _ device: ReplicaID, withDescendants: Bool = false
  ) async throws(SyncError) -> Revocation {
    let request = DevicesRevokeRequest(replica: device, withDescendants: withDescendants)
    return try await withServer { _, _, transport throws(SyncError) in
      try await transport.revoke(request)
    }
  }
}
