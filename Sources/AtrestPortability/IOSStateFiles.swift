// SPDX-License-Identifier: Apache-2.0
// Reads the iOS app's two data files: fasts with the active one, and water.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTransfer
import Foundation

/// `session-state.json` and `water-log.json`.
enum IOSStateFiles {
  private struct State: Decodable {
    struct Active: Decodable {
      var start: IOSInstant
      var lastEvent: IOSInstant?
      var targetDurationHours: Double?
    }

    var sessions: [IOSSession]
    var active: Active?
    // `completedCount` is ignored: the count is derived from the fasts, and adding to it would
    // count twice.
  }

  private struct Drink: Decodable {
    var id: UUID
    var date: IOSInstant
    var amountMilliliters: Double
  }

  static func sessionState(_ data: Data) throws(PortabilityError) -> ImportFile {
    let state: State = try Portability.decode(data)
    var file = ImportFile(format: .iosSessionState, version: 1, madeAt: nil)
    for (index, session) in state.sessions.enumerated() {
      try file.add(session.entry(.entry(index + 1)))
    }
    if let active = state.active {
      guard active.start.seconds > 0,
        let saved = SavedActiveFast(
          start: active.start.time, lastEvent: active.lastEvent?.time,
          targetHours: active.targetDurationHours)
      else { throw .impossible(.active, .longAgo) }
      file.active = saved
    }
    return file
  }

  static func waterLog(_ data: Data) throws(PortabilityError) -> ImportFile {
    let drinks: [Drink] = try Portability.decode(data)
    var file = ImportFile(format: .iosWaterLog, version: 1, madeAt: nil)
    for (index, drink) in drinks.enumerated() {
      let place = ImportPlace.entry(index + 1)
      let amount = drink.amountMilliliters.rounded()
      guard amount > 0, amount <= Double(TypedRules.millilitres.upperBound) else {
        throw .impossible(place, .amountOutOfRange)
      }
      try file.add(
        .water(
          id: RecordUUID(drink.id), at: drink.date.time, millilitres: Int(amount), place: place))
    }
    return file
  }
}
