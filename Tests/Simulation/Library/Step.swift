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
  /// Weeks without any use, in which what was deleted is stripped and the journal ends.
  case pause
  /// A clock that jumps by years. Writes more than a minute ahead are refused and stamped again; such a write may fall behind an
  /// earlier one of the same device and record, if that was taken without the device knowing when the later one was made.
  case wildClock
  /// Copies of devices and servers.
  case clone, deviceRestore, serverRestore

  /// What every promise is known to hold under.
  package static let withstood = Set(allCases)
}
