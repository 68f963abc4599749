// SPDX-License-Identifier: Apache-2.0
// Why a file cannot be brought in, each with a sentence for the person who brought it.

import AtrestDomain

/// Why a file was not taken. Nothing was changed. No case holds anything a file says of a person.
public enum PortabilityError: Error, Hashable, Sendable {
  /// The file is longer than what is read.
  case tooLarge(limitBytes: Int)
  /// The file holds more entries than are read.
  case tooManyEntries(limit: Int)
  /// The file is none of those that are known, or broken; and where, if that can be told.
  case invalidFormat(ImportPlace?)
  /// The file is of a version that this build does not know.
  case unsupportedVersion(found: Int, current: Int)
  /// The file is not what its writer wrote.
  case checksumMismatch
  /// The file lacks its last line: it was not written, or not copied, to its end.
  case cutShort
  /// An entry says something that cannot be.
  case impossible(ImportPlace, InputProblem)
  /// Two entries have one id and say different things.
  case contradiction(ImportPlace)
  /// An entry holds something that a newer version must have written.
  case newer(ImportPlace)

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .tooLarge(let limit):
      """
      The file is longer than \(limit / 1_048_576) MiB, which is more than is read at once. Check \
      that it is the right one.
      """
    case .tooManyEntries(let limit):
      "The file holds more than \(limit) entries. Check that it is the right one."
    case .invalidFormat(nil):
      """
      This is no export that can be read here. Choose an export of Atrest, of the iOS app, or one \
      of the app's files session-state.json and water-log.json.
      """
    case .invalidFormat(let place?):
      """
      The file cannot be read: \(place.words) is not what it should be. Nothing was brought in. \
      Make the export again.
      """
    case .unsupportedVersion(let found, let current):
      """
      The file has version \(found) of its format, and this program reads version \(current). \
      Update the program, or make the export again.
      """
    case .checksumMismatch:
      """
      The file's checksum does not fit its content, so it was changed or damaged. Nothing was \
      brought in. Make the export again.
      """
    case .cutShort:
      "The file ends too early. Nothing was brought in. Copy it again, or make the export again."
    case .impossible(let place, let problem):
      """
      Nothing was brought in, because \(place.words) cannot be: \(Self.words(problem)). Correct \
      it where the file comes from, then make the export again.
      """
    case .contradiction(let place):
      """
      Nothing was brought in, because \(place.words) has the id of an earlier one and says \
      something else. Make the export again.
      """
    case .newer(let place):
      """
      Nothing was brought in, because \(place.words) holds something that this version does not \
      know. Update the program.
      """
    }
  }

  private static func words(_ problem: InputProblem) -> String {
    switch problem {
    case .inTheFuture: "its time lies in the future"
    case .longAgo: "its time lies before 1970"
    case .endBeforeStart: "the fast ends before it starts"
    case .fastTooLong: "the fast lasts more than 14 days"
    case .amountOutOfRange, .ouncesOutOfRange:
      "its amount is not within \(TypedRules.millilitres.lowerBound) to "
        + "\(TypedRules.millilitres.upperBound) ml"
    case .targetOutOfRange: "its target is not within a minute to 7 days"
    case .notATime, .skippedTime, .notADuration, .notAnAmount, .openWithEnd, .endMissing:
      "its parts do not fit each other"
    }
  }
}

/// Where in a file something stands.
public enum ImportPlace: Hashable, Sendable {
  /// A line, from 1: our own format.
  case line(Int)
  /// An entry of a list, from 1: the iOS app's files.
  case entry(Int)
  /// The fast that was going on: the app's state file.
  case active

  /// As it stands in a sentence.
  public var words: String {
    switch self {
    case .line(let number): "line \(number)"
    case .entry(let number): "entry \(number)"
    case .active: "the fast that was going on"
    }
  }
}
