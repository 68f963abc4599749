// SPDX-License-Identifier: Apache-2.0
// Finds devices that wait to join by their ids, and lets them in or sends them away.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestSync

/// Finds pending devices by id and resolves them.
enum PendingDeviceIDs {
  /// Empty if the server is too old to know pending devices.
  static func devices(_ replica: Replica) async throws(SyncError) -> [PendingDevice] {
    do {
      return try await replica.pendingDevices()
    } catch {
      if error.code == .refused { return [] }
      throw error
    }
  }

  static func shortened(_ pendingDevices: [PendingDevice]) -> [String: String] {
    ShortID.shortened(pendingDevices.map { ShortID.hex($0.handle) })
  }

  static func find(_ typed: String, _ replica: Replica) async throws -> PendingDevice {
    let pendingDevices = try await replica.pendingDevices()
    return try ShortID.find(
      typed, in: pendingDevices, noun: "waiting device", id: { ShortID.hex($0.handle) },
      describe: { $0.name.escapedForTerminal })
  }

  /// - Returns: The device's name if it was admitted.
  static func decide(
    _ pendingDevice: PendingDevice, allow: Bool, _ replica: Replica, program: String
  ) async throws -> String? {
    do {
      return try await replica.decide(pendingDevice.handle, allow: allow)
    } catch {
      guard error.code == .notFound else { throw error }
      throw CommandFailure(
        DeviceWords.gone(pendingDevice.name)
          + Language.text(
            " `\(program) devices` shows who is in, and who waits.",
            de: " `\(program) devices` zeigt, wer dabei ist und wer wartet."))
    }
  }
}
