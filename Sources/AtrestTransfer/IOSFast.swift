// SPDX-License-Identifier: Apache-2.0
// A fast as the iOS app's files hold it, read from JSON and written.

import AtrestDomain
import AtrestReplication

/// A fast as in every file of the iOS app. Its times are in whole seconds.
struct IOSFast {
  private let id: RecordUUID
  private let start: WallTime
  private let end: WallTime
  /// Absent in files of the app's first version.
  private var targetHours: Double?
  /// The target as JSON, without the zeros that say nothing: `16.0` is `16`.
  private var targetText: String?

  /// Reads a fast; nil if a member is missing or is not what it should be.
  init?(_ json: StrictJSON) {
    guard let members = json.members,
      let id = members["id"]?.text.flatMap({ RecordUUID(uuidString: $0) }),
      let start = Self.time(members["start"]), let end = Self.time(members["end"])
    else { return nil }
    (self.id, self.start, self.end) = (id, start, end)
    guard let target = members["targetDurationHours"], target != .null else { return }
    guard let hours = target.decimal, let text = target.numberText else { return nil }
    (targetHours, targetText) = (hours, Self.shortened(text))
  }

  /// Takes a completed fast; nil if it is open.
  init?(_ session: Session) {
    guard let end = session.span.end else { return nil }
    id = session.id
    start = Self.truncated(session.span.start)
    self.end = Self.truncated(end)
    let hours = Double(session.targetMinutes) / 60
    (targetHours, targetText) = (hours, Self.shortened(String(hours)))
  }

  /// All fasts of a list.
  static func all(_ list: [StrictJSON]) throws(PortabilityError) -> [IOSFast] {
    guard list.count <= Portability.Limits.entries else {
      throw .tooManyEntries(limit: Portability.Limits.entries)
    }
    var fasts: [IOSFast] = []
    for (index, json) in list.enumerated() {
      guard let fast = IOSFast(json) else { throw .invalidFormat(.entry(index + 1)) }
      fasts.append(fast)
    }
    return fasts
  }

  /// The fast with the app's default for an absent target.
  var completed: IOSFast {
    guard targetText == nil else { return self }
    var copy = self
    (copy.targetHours, copy.targetText) = (16, "16")
    return copy
  }

  /// The fast as the app writes it.
  var json: JSONObject {
    var object = JSONObject()
    object.add("end", TimeText.iso(end))
    object.add("id", id.uuidString)
    object.add("start", TimeText.iso(start))
    object.add("targetDurationHours", encoded: targetText.map { Array($0.utf8) })
    return object
  }

  func entry(_ place: ImportPlace) throws(PortabilityError) -> ImportEntry {
    try .session(id: id, start: start, end: end, targetHours: targetHours, place: place)
  }

  /// Reads a time of the app, in whole seconds; nil for anything else.
  static func time(_ json: StrictJSON?) -> WallTime? {
    guard let text = json?.text, text.utf8.count == 20 else { return nil }
    return InstantText.milliseconds(text).map { WallTime(milliseconds: $0) }
  }

  /// A time in the resolution of the app's files.
  static func truncated(_ time: WallTime) -> WallTime {
    WallTime(milliseconds: time.wholeSeconds * 1000)
  }

  private static func shortened(_ number: String) -> String {
    var text = Array(number.utf8)
    guard text.contains(UInt8(ascii: ".")),
      text.allSatisfy({ $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") })
    else { return number }
    while text.last == UInt8(ascii: "0") { text.removeLast() }
    if text.last == UInt8(ascii: ".") { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }
}
