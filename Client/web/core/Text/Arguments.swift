// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of the shell's requests. All of them are untrusted.

import AtrestDomain
import AtrestReplication

/// The members of an argument. A member of the wrong type is a failure, not an absent one.
struct Arguments {
  /// The most bytes of a text that is no note.
  static let textBytes = 4096

  private let members: [String: StrictJSON]

  /// No argument at all counts as an empty one.
  init(_ json: StrictJSON?) throws(CoreFailure) {
    guard let json else {
      members = [:]
      return
    }
    guard let members = json.members else { throw .misuse("an argument is not an object") }
    self.members = members
  }

  func text(_ name: String, limitBytes: Int = textBytes) throws(CoreFailure) -> String? {
    guard let value = members[name], value != .null else { return nil }
    guard let text = value.text, text.utf8.count <= limitBytes else {
      throw .misuse("\(name) is not a text, or too long")
    }
    return text
  }

  func number(_ name: String, _ range: ClosedRange<Int64>) throws(CoreFailure) -> Int64? {
    guard let value = members[name], value != .null else { return nil }
    guard let number = value.number, range.contains(number) else {
      throw .misuse("\(name) is not a whole number in its range")
    }
    return number
  }

  func flag(_ name: String) throws(CoreFailure) -> Bool {
    guard let value = members[name], value != .null else { return false }
    guard case .bool(let flag) = value else { throw .misuse("\(name) is not a switch") }
    return flag
  }

  func elements(_ name: String) throws(CoreFailure) -> [StrictJSON] {
    guard let value = members[name], value != .null else { return [] }
    guard let elements = value.elements else { throw .misuse("\(name) is not a list") }
    return elements
  }

  func object(_ name: String) throws(CoreFailure) -> Arguments {
    try Arguments(members[name])
  }

  // MARK: Values of the domain

  func time(_ name: String) throws(CoreFailure) -> WallTime? {
    try number(name, 0...WallTime.recordable.upperBound - 1).map { WallTime(milliseconds: $0) }
  }

  /// A time that a person chose, of any year.
  func chosenTime(_ name: String) throws(CoreFailure) -> WallTime? {
    guard let number = try number(name, -(1 << 53)...(1 << 53)) else { return nil }
    guard number > 0 else { throw CoreFailure(InputProblem.longAgo) }
    guard WallTime.recordable.contains(number) else { throw CoreFailure(InputProblem.inTheFuture) }
    return WallTime(milliseconds: number)
  }

  func id(_ name: String) throws(CoreFailure) -> RecordUUID? {
    guard let text = try text(name) else { return nil }
    guard let id = RecordUUID(uuidString: text) else { throw .misuse("\(name) is not an id") }
    return id
  }

  /// A side of a picture in points.
  func side(_ name: String, or usual: Double) throws(CoreFailure) -> Double {
    try number(name, 1...10_000).map { Double($0) } ?? usual
  }

  /// What has to be there.
  func required<Value>(_ value: Value?) throws(CoreFailure) -> Value {
    guard let value else { throw .misuse("an argument is missing") }
    return value
  }
}
