// SPDX-License-Identifier: Apache-2.0
// One machine's simulated disk.

import CAtrestSimulatedDisk

/// Files that outlive processes and may lose unsynced writes.
final class SimulatedDisk {
  /// What the end of a machine does to unsynced writes.
  enum End: Hashable, Sendable {
    /// The process was killed. The system keeps all its writes.
    case killed
    /// The power failed. Any unsynced write may be missing or torn.
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

  /// The name of a file on this disk for SQLite.
  func uri(_ name: String) -> String {
    "file:/\(sd_id(machine))/\(name)?vfs=atrest-simulated"
  }

  /// A copy of another disk's current contents.
  func copy(seed: UInt64) -> SimulatedDisk {
    let copy = SimulatedDisk(seed: seed)
    sd_copy(copy.machine, machine)
    return copy
  }

  /// Restores an earlier copy. Open handles become invalid.
  func restore(_ earlier: SimulatedDisk) { sd_copy(machine, earlier.machine) }

  /// Equal for disks with equal contents from a process's view.
  var fingerprint: UInt64 { sd_fingerprint(machine) }

  func end(_ how: End) { sd_end(machine, how.code) }
  func end(after calls: Int, _ how: End) { sd_end_after(machine, Int64(calls), how.code) }
  var hasEnded: Bool { sd_has_ended(machine) != 0 }
  /// Restarts the machine without its faults.
  func start() { sd_start(machine) }

  func fill(after writes: Int?) { sd_fill_after(machine, Int64(writes ?? -1)) }
  func failSync(after syncs: Int?) { sd_fail_sync_after(machine, Int64(syncs ?? -1)) }
}
