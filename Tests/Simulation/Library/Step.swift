// SPDX-License-Identifier: Apache-2.0
// The steps of a history: people's actions and faults.

/// One step, some time after the previous one.
package struct Step: Sendable, CustomStringConvertible {
  /// What a step does.
  enum Action: Sendable {
    /// A person does something on the device.
    case edit
    /// The device syncs. Its connections break after these numbers of bytes.
    case sync(cuts: [Int])
    /// The device follows the server's stream for some seconds.
    case watch(seconds: Int)
    /// A person deletes nearly everything.
    case deleteMost
    /// The device leaves its account. Its next sync joins again.
    case unpair
    /// The device syncs repeatedly and gets no response.
    case unheardSyncs(Int)
    /// One of two processes that sync the same replica is killed.
    case endOneSync
    /// Limits the bytes per second in each direction. Nil: unlimited.
    case bandwidth(Int?)
    /// The device's program and machine end, and restart on demand.
    case end(SimulatedDisk.End)
    /// The same, inside the nth writing call from now.
    case endInWrite(calls: Int, SimulatedDisk.End)
    /// The disk is full after this many writes. Nil: it has space again.
    case full(after: Int?)
    /// The nth sync of the device's disk from now fails.
    case diskSyncFails(after: Int)
    /// Sets the device's clock offset in milliseconds and its drift in parts per million.
    case clock(offset: Int64, drift: Int64)
    /// Whether bytes go up and down, and their maximum latency in microseconds.
    case link(up: Bool, down: Bool, latency: Int)
    /// An old request of the device reaches the server again.
    case replay
    /// The device's disk is copied to another device, which runs from then on.
    case clone
    /// The device's disk is backed up.
    case backUp
    /// The device's backup is restored.
    case putBack
    case endServer(SimulatedDisk.End)
    case endServerInWrite(calls: Int, SimulatedDisk.End)
    case serverFull(after: Int?)
    case serverDiskSyncFails(after: Int)
    /// The account quota from the server's next start. Nil: the default.
    case quota(records: Int?)
    /// Sets the offset of the server's clock in milliseconds.
    case serverClock(offset: Int64)
    case backUpServer
    case putBackServer
    /// A newer program writes fields and kinds that this one does not know.
    case foreignWrite
    /// Nobody does anything for some days.
    case pause(days: Int)
  }

  /// Microseconds after the previous step.
  var delay: Int64
  /// The device concerned. Ignored for the server's steps.
  var device: Int
  var action: Action
  /// The seed of the step's random decisions, so that they do not change when other steps are
  /// removed.
  var salt: UInt64

  /// One line for people.
  package var description: String {
    "+\(Double(delay / 1000) / 1000) s  device \(device)  \(action)  (\(String(salt, radix: 16)))"
  }
}

/// A sort of fault. Each seed has only some of them, so that rare ones are not masked.
package enum Fault: String, CaseIterable, Sendable {
  case cut, badLink, deviceEnd, devicePower, serverEnd, serverPower, fullDisk, failingDisk, clock
  case serverClock, replay, foreign
  /// A server clock that steps by minutes, days or years, while it runs and across restarts.
  case serverWildClock
  /// Another account with two devices on the same server.
  case neighbours
  /// Devices that follow the server's stream and push writes in between.
  case watch
  /// Accounts with a small quota, which the operator later raises.
  case quota
  /// Deletions of nearly everything, which wait for a person's confirmation.
  case massDeletion
  /// Devices that leave their account and join again.
  case unpair
  /// Dozens of syncs in a row with lost responses and pending writes.
  case lostAnswers
  /// Two processes that sync one replica, one of which is killed.
  case twoProcesses
  /// Links with 8 KB per second.
  case slowLink
  /// Weeks without use, in which deleted records are pruned and journal entries expire.
  case pause
  /// A clock that jumps by years. Writes more than a minute ahead are refused and restamped. Such a
  /// write may fall behind an earlier one of the same device and record, if that was accepted
  /// without the device knowing it when it made the later one.
  case wildClock
  /// Copies of devices and servers.
  case clone, deviceRestore, serverRestore

  /// The faults under which every promise is known to hold.
  package static let withstood = Set(allCases)
}
