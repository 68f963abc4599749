// SPDX-License-Identifier: Apache-2.0
// One sentence for each choice that a person typed and that is not there.

/// Why a choice that a person typed was not taken. Nothing was changed.
public enum ChoiceProblem: Error, Hashable, Sendable, CaseIterable {
  /// Neither on nor off.
  case notASwitch
  /// Neither of the units.
  case notAUnit
  /// Not the name of a setting.
  case unknownSetting
  /// Not a month in any of the forms we read.
  case notAMonth
  /// A setting that programs write, not people.
  case notForPeople

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .notASwitch: Word.problemNotASwitch.text
    case .notAUnit: Word.problemNotAUnit.text
    case .unknownSetting: Word.problemUnknownSetting.text
    case .notAMonth: Word.problemNotAMonth.text
    case .notForPeople: Word.problemNotForPeople.text
    }
  }
}
