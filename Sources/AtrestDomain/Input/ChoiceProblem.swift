// SPDX-License-Identifier: Apache-2.0
// Errors for typed choices that do not exist, each with its sentence.

/// Why a typed setting was not accepted. Nothing was changed.
public enum SettingProblem: Error, Hashable, Sendable {
  /// A length of time or an amount, or one out of range.
  case input(InputProblem)
  /// Something else than the setting's choices.
  case choice(ChoiceProblem)

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .input(let problem): problem.userMessage
    case .choice(let problem): problem.userMessage
    }
  }
}

/// Why a typed choice was not accepted. Nothing was changed.
public enum ChoiceProblem: Error, Hashable, Sendable, CaseIterable {
  /// Not on or off.
  case notASwitch
  /// Not a unit of volume.
  case notAUnit
  /// Not the name of a setting.
  case unknownSetting
  /// Not a month in any accepted form.
  case notAMonth
  /// A setting that only programs write.
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
