// SPDX-License-Identifier: Apache-2.0
// What can happen in a history: what people do, and what the world does to them.

/// One thing that happens, some time after the one before.
package struct Step: Sendable, CustomStringConvertible {
  /// What a step does.
  enum Action: Sendable {
    /// A person does something on the device.
    case edit
    /// The device syncs; its connections break after so many bytes.
    case sync(cuts: [Int])
    /// The device follows the server's stream for so many seconds.
    case watch(seconds: Int)
    /// A person deletes nearly everything.
    case deleteMost
    /// The device leaves its account. Its next sync joins again.
    case unpair
    /// The device syncs so many times, and hears no answer.
    case unheardSyncs(Int)
    /// One of two processes that sync the same replica is killed.
    case endOneSync
    /// So many bytes a second go either way; nil: as many as there are.
    case bandwidth(Int?)
    /// The device's program and machine end, and start when next needed.
    case end(SimulatedDisk.End)
    /// The same, inside the nth call from now that writes.
    case endInWrite(calls: Int, SimulatedDisk.End)
    /// The disk has no more room after so many writes; nil: there is room again.
    case full(after: Int?)
    /// The nth sync from now of the device's disk fails.
    case diskSyncFails(after: Int)
    /// The device's clock is so many milliseconds off, and runs so many millionths too fast.
    case clock(offset: Int64, drift: Int64)
    /// Whether bytes go up and down, and how long they take at most, in microseconds.
    case link(up: Bool, down: Bool, latency: Int)
    /// An old request of the device's reaches the server once more.
    case replay
    /// The device's disk is copied: onto another device that runs from then on.
    case clone
    /// A copy of the device's disk is put aside.
    case backUp
    /// The copy takes the place of what is there.
    case putBack
    case endServer(SimulatedDisk.End)
    case endServerInWrite(calls: Int, SimulatedDisk.End)
    case serverFull(after: Int?)
    case serverDiskSyncFails(after: Int)
    /// What an account may hold, from the server's next start on; nil: as much as by default.
    case quota(records: Int?)
    /// The server's clock is so many milliseconds off.
    case serverClock(offset: Int64)
    case backUpServer
    case putBackServer
    /// Another program, newer than this one, writes fields and kinds that this one does not know.
    case foreignWrite
    /// Nobody does anything for so many days.
    case pause(days: Int)
  }

  /// Microseconds after the step before.
  var delay: Int64
  /// Whose it is; of no matter for what happens to the server.
  var device: Int
  var action: Action
  /// Where the step's random decisions come from, so that they stay when other steps are taken out.
  var salt: UInt64

  /// One line for people.
  package var description: String {
    "+\(Double(delay / 1000) / 1000) s  device \(device)  \(action)  (\(String(salt, radix: 16)))"
  }
}

/// A sort of trouble. Each seed has some of them and not others, so that rare ones are not drowned.
package enum Fault: String, CaseIterable, Sendable {
  case cut, badLink, deviceEnd, devicePower, serverEnd, serverPower, fullDisk, failingDisk, clock
  case serverClock, replay, foreign
  /// A server's clock that steps by minutes, days or years, while it runs and across its starts.
  case serverWildClock
  /// Another account with two devices on the same server.
  case neighbours
  /// Devices that follow the server's stream, and push what is written meanwhile.
  case watch
  /// Accounts that may hold little, until the owner thinks better of it.
  case quota
  /// Deletions of nearly everything, which wait for a person's word.
  case massDeletion
  /// Devices that leave their account and join it again.
  case unpair
  /// Dozens of syncs in a row whose answers are lost while something waits.
  case lostAnswers
  /// Two processes that sync one replica; one of them is killed.
  case twoProcesses
  /// Links that carry 8 KB a second.
  case slowLink
  /// Weeks without any use, in which what was deleted is pruned and the journal ends.
  case pause
  /// A clock that jumps by years. Writes more than a minute ahead are refused and stamped again;
  /// such a write may fall behind an earlier one of the same device and record, if that was taken
  /// without the device knowing when the later one was made.
  case wildClock
  /// Copies of devices and servers.
  case clone, deviceRestore, serverRestore

  /// What every promise is known to hold under.
  package static let withstood = Set(allCases)
}
