// SPDX-License-Identifier: Apache-2.0
// What the person chose in the settings, as commands need it.

import AtrestClient
import AtrestCompanion
import AtrestDomain

/// The person's synced settings.
struct Choices: Hashable {
  /// The settings with defaults applied.
  let settings: Settings
  /// The unit, if one was chosen.
  let unit: WaterUnit?

  /// No settings stored.
  static let none = Choices { _ in nil }

  init<Failure>(_ value: (String) throws(Failure) -> String?) throws(Failure) {
    settings = try Settings(value)
    unit = try value(Setting.waterUnit.rawValue).flatMap(WaterUnit.init(rawValue:))
  }

  /// Reads the settings of a replica.
  init(_ store: ReplicaTransaction) throws {
    try self.init { try store.preference($0) }
  }
}

extension CommandContext {
  /// A copy with the unit that the person chose.
  func following(_ choices: Choices) -> CommandContext { measuring(in: choices.unit) }
}

/// Parses a typed target; nil stays nil.
func typedTarget(_ text: String?) throws(InputProblem) -> Int? {
  guard let text else { return nil }
  return try Typed.targetMinutes(text)
}
