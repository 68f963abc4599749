// SPDX-License-Identifier: Apache-2.0
// The model of a scenario: devices, a start, and timed steps.

import AtrestReplication
import Foundation

/// A scenario of devices that conflict, with the expected outcome.
package struct Scenario: Hashable, Sendable {
  /// The title, one line.
  package var name: String
  /// The description; may be empty.
  package var about = ""
  /// The start time.
  package var start: WallTime
  /// The zone of its clock times.
  package var zone = TimeZone.gmt
  /// The devices at the start, in display order.
  package var devices: [Setup]
  /// The steps in order of time.
  package var steps: [Step]

  /// A device at the start.
  package struct Setup: Hashable, Sendable {
    package var name: String
    package var clock = ClockError.none
    /// Whether it is paired from the start.
    package var isPaired = true
  }

  /// An event at a time.
  package struct Step: Hashable, Sendable {
    /// The line in the file, from 1; 0 without a file.
    package var line = 0
    /// The true time of the step.
    package var at: WallTime
    /// The event.
    package var action: Action
  }

  /// An event of a scenario.
  package enum Action: Hashable, Sendable {
    /// A person does something on a device.
    case edit(device: String, Edit)
    /// Devices sync, one after another.
    case sync(devices: [String], allowsMassDeletion: Bool, fails: SyncFailure?)
    /// Devices go offline or online.
    case network(devices: [String], isOnline: Bool)
    /// A device's clock changes.
    case clock(device: String, ClockError)
    /// A device's data is copied, as when a disk moves to a new machine.
    case copy(from: String, to: String)
    /// A copy of a device's or the server's data is put aside; `server` is nil for the server.
    case backUp(Machine)
    /// The copy is put in place of the data.
    case putBack(Machine)
    /// The server stops and starts.
    case restartServer
    /// A device pairs with the account.
    case pair(device: String)
    /// Time passes.
    case wait
    /// An expectation is checked.
    case expect(Expectation)
  }

  /// Whose data.
  package enum Machine: Hashable, Sendable {
    /// The server's.
    case server
    case device(String)

    /// The name for people.
    package var name: String {
      switch self {
      case .server: "server"
      case .device(let name): name
      }
    }
  }

  /// An edit by a person on a device. Records have names that exist only in the scenario.
  package enum Edit: Hashable, Sendable {
    /// Starts a fast, by default now and with the usual target.
    case start(String, began: WallTime?, targetMinutes: Int?)
    /// Ends a fast, by default now.
    case finish(String, ended: WallTime?, isCompleted: Bool)
    /// Edits a fast.
    case correctFast(String, FastChange)
    /// Records drinks, by default now.
    case drink([String], millilitres: Int, at: WallTime?)
    /// Edits a drink.
    case correctWater(String, millilitres: Int?, at: WallTime?)
    /// Deletes fasts, drinks, drafts and leaves.
    case delete([String])
    /// Writes a setting.
    case set(key: String, value: String)
    /// Restores a losing value.
    case bringBack(JournalChoice)
    /// Does something in the garden; `fails` if the garden must refuse it.
    case garden(GardenEdit, fails: GardenRefusal?)
  }

  /// The edited parts of a fast.
  package struct FastChange: Hashable, Sendable {
    /// When it started.
    package var began: WallTime?
    package var ended: WallTime?
    /// `active`, `completed` or `abandoned`.
    package var outcome: String?
    package var targetMinutes: Int?
  }

  /// Selects a journal entry.
  package struct JournalChoice: Hashable, Sendable {
    /// The record's name.
    package var record: String
    /// The field, if several may match.
    package var field: FieldName?
    /// The losing write's device, if several may match.
    package var from: String?
  }

  /// The fields' names for people.
  package enum FieldName: String, Hashable, Sendable, CaseIterable {
    /// A fast's span.
    case times
    /// A fast's target.
    case target
    /// A drink's time and amount.
    case amount
    /// A setting's value.
    case value
    /// Whether the record is deleted.
    case deleted
    /// A sprout's title.
    case title
    /// The twig of a sprout or a leaf.
    case twig
    /// A sprout's season and environment, as a draft.
    case plan
    /// When a sprout was planted, and as what.
    case planting
    /// When and how a sprout ended, with the words of the harvest.
    case outcome
    /// A sprout's leaf.
    case leaf
    /// A leaf's name.
    case name
    /// The label of a part of the tree.
    case label
    /// The note of a part of the tree.
    case note
  }

  /// How a sync may fail.
  package enum SyncFailure: String, Hashable, Sendable, CaseIterable {
    /// The device has no network.
    case offline
    /// The server could not be reached.
    case unreachable
    /// The device was revoked or never paired.
    case accessEnded = "access ended"
    /// The sync would delete most records.
    case massDeletion = "mass deletion"
    /// The server refused some writes.
    case refused
    /// Anything else.
    case other = "another failure"
  }

  /// Bounds on scenario files.
  package enum Limits {
    /// The largest file in bytes: 1 MiB.
    package static let fileBytes = 1 << 20
    /// The most steps.
    package static let steps = 10_000
    /// The most devices, copies included.
    package static let devices = 16
    /// The longest name in characters.
    package static let nameCharacters = 40
    /// The most records in one step, as in `glass 1..25`.
    package static let range = 1_000
    /// The most named records.
    package static let records = 20_000
    /// The longest duration in years.
    package static let years = 100
  }
}

package enum ClockError: Hashable, Sendable {
  /// Not at all.
  case none
  /// The lead in milliseconds; negative for a lag.
  case ahead(milliseconds: Int64)
  /// Stopped at one time.
  case stuck(WallTime)
}
