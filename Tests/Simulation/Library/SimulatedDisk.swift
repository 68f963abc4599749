// SPDX-License-Identifier: Apache-2.0
// One machine's disk, as the simulation handles it.

import CAtrestSimulatedDisk

/// Files that outlive the processes that write them, and may lose what was not synced.
final class SimulatedDisk {
  /// What the end of a machine does to writes that no sync has made durable.
  enum End: Hashable, Sendable {
    /// The process was killed: the system has all it wrote.
    case killed
    /// The power went: any of it may be missing or torn.
    case powerLost

    fileprivate var code: sd_end { self == .killed ? SD_KILLED : SD_POWER_LOST }
  }

  private let machine: OpaquePointer

  init(seed: UInt64) {
    guard sd_register() == 0, let machine = sd_make(seed) else {
      preconditionFailure("SQLite takes no further file system, or there are too many machines")
    }
    self.machine = machine
  }

  deinit { sd_release(machine) }

  /// How SQLite names a file on it.
  func uri(_ name: String) -> String {
    "file:/\(sd_id(machine))/\(name)?vfs=atrest-simulated"
  }

  /// What another disk holds at this moment, on a disk of its own.
  func copy(seed: UInt64) -> SimulatedDisk {
    let copy = SimulatedDisk(seed: seed)
    sd_copy(copy.machine, machine)
    return copy
  }

  /// Puts back what was copied earlier. Handles that are open die.
  func restore(_ earlier: SimulatedDisk) { sd_copy(machine, earlier.machine) }

  /// Equal for disks that hold the same, as a process sees them.
  var fingerprint: UInt64 { sd_fingerprint(machine) }

  func end(_ how: End) { sd_end(machine, how.code) }
  func end(after calls: Int, _ how: End) { sd_end_after(machine, Int64(calls), how.code) }
  var hasEnded: Bool { sd_has_ended(machine) != 0 }
  /// Starts the machine again, without its faults.
  func start() { sd_start(machine) }

  func fill(after writes: Int?) { sd_fill_after(machine, Int64(writes ?? -1)) }
  func failSync(after syncs: Int?) { sd_fail_sync_after(machine, Int64(syncs ?? -1)) }
}
