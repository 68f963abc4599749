// SPDX-License-Identifier: Apache-2.0
// The account's devices, and those that want to be some: listing, letting in, renaming, sending
// away.

import AtrestProtocol
import AtrestReplication

extension Replica {
  /// The account's devices, oldest first. Their names are remembered; see `deviceNames()`.
  public func devices() async throws(SyncError) -> [Device] {
    var devices = try await withServer { _, _, transport throws(SyncError) in
      try await transport.devices().devices
    }
    for index in devices.indices { devices[index].name = shown(devices[index].name) }
    let named = devices
    try await local { replica throws(ReplicaError) in try replica.setDeviceNames(named) }
    return devices
  }

  /// Those that have a right pairing link and wait to be let in, in the order they came.
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

  /// Lets a pending device in, or sends it away. Of several decisions the first one counts.
  ///
  /// - Returns: What the device is called; nil if it was sent away.
  /// - Throws: `.notFound` if it waits no more.
  @discardableResult
  public func decide(_ handle: UInt64, allow: Bool) async throws(SyncError) -> String? {
    try await withServer { _, _, transport throws(SyncError) in
      try await transport.decide(ResolvePendingDeviceRequest(handle: handle, allow: allow)).admitted
        .map { shown($0.name) }
    }
  }

  /// Gives a device another name.
  ///
  /// - Parameter name: 1 to 64 bytes.
  /// - Returns: What it is called now: with a number if another device of the account has the name.
  @discardableResult
  public func rename(_ device: ReplicaID, to name: String) async throws(SyncError) -> String {
    let request = RenameDeviceRequest(replica: device, name: try Replica.checked(name: name))
    return try await withServer { _, _, transport throws(SyncError) in
      shown(try await transport.rename(request).name)
    }
  }

  /// Ends a device's access.
  ///
  /// - Parameter withDescendants: Ends that of its descendants, too: see `Lineage`. This device and
  ///   those that descend through this one only are spared.
  /// - Returns: Whose access ended, and which descendants have theirs still.
  @discardableResult
  public func revoke(
    _ device: ReplicaID, withDescendants: Bool = false
  ) async throws(SyncError) -> RevokeDeviceResponse {
    let request = RevokeDeviceRequest(replica: device, withDescendants: withDescendants)
    return try await withServer { _, _, transport throws(SyncError) in
      try await transport.revoke(request)
    }
  }
}
