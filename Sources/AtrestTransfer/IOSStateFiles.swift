// SPDX-License-Identifier: Apache-2.0
// Reads the iOS app's two data files: fasts with the active one, and water.

import AtrestDomain
import AtrestReplication

/// `session-state.json` and `water-log.json`.
enum IOSStateFiles {
  static func sessionState(
    _ members: [String: StrictJSON]
  ) throws(PortabilityError) -> ImportFile {
    guard let list = members["sessions"]?.elements else { throw .invalidFormat(nil) }
    var file = ImportFile(format: .iosSessionState, version: 1, madeAt: nil)
    for (index, fast) in try IOSFast.all(list).enumerated() {
      try file.add(fast.entry(.entry(index + 1)))
    }
    // `completedCount` is ignored: the count is derived from the fasts, and adding to it would
    // count twice.
    if let active = members["active"], active != .null { file.active = try saved(active) }
    return file
  }

  private static func saved(_ active: StrictJSON) throws(PortabilityError) -> SavedActiveFast {
    func member(_ name: String) -> StrictJSON? {
      active.members?[name].flatMap { $0 == .null ? nil : $0 }
    }
    let (lastEvent, target) = (member("lastEvent"), member("targetDurationHours"))
    guard let start = IOSFast.time(member("start")),
      lastEvent == nil || IOSFast.time(lastEvent) != nil, target == nil || target?.decimal != nil
    else { throw .invalidFormat(.active) }
    guard start.milliseconds > 0,
      let saved = SavedActiveFast(
        start: start, lastEvent: IOSFast.time(lastEvent), targetHours: target?.decimal)
    else { throw .impossible(.active, .longAgo) }
    return saved
  }

  static func waterLog(_ drinks: [StrictJSON]) throws(PortabilityError) -> ImportFile {
    var file = ImportFile(format: .iosWaterLog, version: 1, madeAt: nil)
    for (index, drink) in drinks.enumerated() {
      let place = ImportPlace.entry(index + 1)
      guard let members = drink.members,
        let id = members["id"]?.text.flatMap({ RecordUUID(uuidString: $0) }),
        let at = IOSFast.time(members["date"]),
        let amount = members["amountMilliliters"]?.decimal?.rounded()
      else { throw .invalidFormat(place) }
      guard amount > 0, amount <= Double(TypedRules.millilitres.upperBound) else {
        throw .impossible(place, .amountOutOfRange)
      }
      try file.add(.water(id: id, at: at, millilitres: Int(amount), place: place))
    }
    return file
  }
}
