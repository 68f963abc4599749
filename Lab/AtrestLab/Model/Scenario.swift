// SPDX-License-Identifier: Apache-2.0
// What a scenario is: devices, a start, and steps in the order of their times.

import Foundation

/// A story of several devices that disagree, and what is expected of them.
package struct Scenario: Hashable, Sendable {
  /// What it is about, in a line.
  package var name: String
  /// The same, at length; may be empty.
  package var about = ""
  /// When it begins.
  package var start: Date
  /// The zone in which its clock times are meant and shown.
  package var zone = TimeZone.gmt
  /// The devices that are there from the start, in the order they are shown.
  package var devices: [Setup]
  /// In the order of their times.
  package var steps: [Step]

  /// A device at the start.
  package struct Setup: Hashable, Sendable {
    /// What people call it.
    package var name: String
    /// What its clock shows.
    package var clock = ClockError.none
    /// Whether it belongs to the account from the start.
    package var isPaired = true
  }

  /// Something that happens.
  package struct Step: Hashable, Sendable {
    /// Where it stands in the file, from 1; 0 for a step that no file holds.
    package var line = 0
    /// When, by a clock that is right.
    package var at: Date
    /// What.
    package var action: Action
  }

  /// What can happen.
  package enum Action: Hashable, Sendable {
    /// A person does something on a device.
    case edit(device: String, Edit)
    /// Devices sync, one after the other.
    case sync(devices: [String], allowsMassDeletion: Bool, fails: SyncFailure?)
    /// Devices lose the network, or have it back.
    case network(devices: [String], isOnline: Bool)
    /// A device's clock is set.
    case clock(device: String, ClockError)
    /// A device's data is copied, as moving to a new machine with the old one's disk does.
    case copy(from: String, to: String)
    /// A copy of a device's or the server's data is put aside; `server` is nil for the server.
    case backUp(Machine)
    /// The copy is put in place of the data.
    case putBack(Machine)
    /// The server stops and starts.
    case restartServer
    /// A device joins the account.
    case pair(device: String)
    /// Time passes.
    case wait
    /// Something must hold.
    case expect(Expectation)
  }

  /// Whose data.
  package enum Machine: Hashable, Sendable {
    /// The server's.
    case server
    /// A device's.
    case device(String)

    /// What people call it.
    package var name: String {
      switch self {
      case .server: "server"
      case .device(let name): name
      }
    }
  }

  /// What a person does on a device. Records go by names that only the scenario knows.
  package enum Edit: Hashable, Sendable {
    /// Starts a fast; without a time, now; without a target, the usual one.
    case start(String, began: Date?, targetMinutes: Int?)
    /// Ends a fast; without a time, now.
    case finish(String, ended: Date?, isCompleted: Bool)
    /// Corrects a fast.
    case correctFast(String, FastChange)
    /// Notes something drunk, once or several times; without a time, now.
    case drink([String], millilitres: Int, at: Date?)
    /// Corrects a note of something drunk.
    case correctWater(String, millilitres: Int?, at: Date?)
    /// Deletes fasts and water.
    case delete([String])
    /// Writes a setting.
    case set(key: String, value: String)
    /// Writes a value that lost back.
    case bringBack(JournalChoice)
  }

  /// Parts of a fast that change.
  package struct FastChange: Hashable, Sendable {
    /// When it began.
    package var began: Date?
    /// When it ended.
    package var ended: Date?
    /// `active`, `completed` or `abandoned`.
    package var outcome: String?
    /// How long it is meant to last.
    package var targetMinutes: Int?
  }

  /// Which entry of the journal is meant.
  package struct JournalChoice: Hashable, Sendable {
    /// The record's name.
    package var record: String
    /// The field, if there may be several.
    package var field: FieldName?
    /// The device that wrote what lost, if there may be several.
    package var from: String?
  }

  /// The parts of records, as people call them.
  package enum FieldName: String, Hashable, Sendable, CaseIterable {
    /// When a fast ran, and how it ended.
    case times
    /// How long a fast is meant to last.
    case target
    /// When something was drunk, and how much.
    case amount
    /// What a setting says.
    case value
    /// Whether a record is deleted.
    case deleted
  }

  /// How a sync may end without success.
  package enum SyncFailure: String, Hashable, Sendable, CaseIterable {
    /// The device has no network.
    case offline
    /// The server could not be reached.
    case unreachable
    /// The device's access was ended, or it was never given.
    case accessEnded = "access ended"
    /// More would be deleted than can be meant.
    case massDeletion = "mass deletion"
    /// The server did not take some writes.
    case refused
    /// Anything else.
    case other = "another failure"
  }

  /// Bounds on what a file may hold.
  package enum Limits {
    /// Bytes of a file: 1 MiB.
    package static let fileBytes = 1 << 20
    /// Steps of a scenario.
    package static let steps = 10_000
    /// Devices of a scenario, copies included.
    package static let devices = 16
    /// Characters of a name.
    package static let nameCharacters = 40
    /// Records that one step may touch, as in `glass 1..25`.
    package static let range = 1_000
    /// Records that a scenario may name.
    package static let records = 20_000
    /// Years that a scenario may last.
    package static let years = 100
  }
}

/// How a device's clock is wrong.
package enum ClockError: Hashable, Sendable {
  /// Not at all.
  case none
  /// It is so many milliseconds ahead; negative for behind.
  case ahead(milliseconds: Int64)
  /// It shows one time and does not move.
  case stuck(Date)
}
