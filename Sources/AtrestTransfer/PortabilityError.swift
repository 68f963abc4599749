// SPDX-License-Identifier: Apache-2.0
// Errors of an import, each with a sentence for the person.

import AtrestDomain

/// Why a file was rejected. Nothing was changed. No case carries personal content of the file.
public enum PortabilityError: Error, Hashable, Sendable {
  /// The file exceeds the size limit.
  case tooLarge(limitBytes: Int)
  /// The file exceeds the entry limit.
  case tooManyEntries(limit: Int)
  /// The file has no known format or is malformed; with the position if known.
  case invalidFormat(ImportPlace?)
  /// The file's version is not supported.
  case unsupportedVersion(found: Int, current: Int)
  /// The file was altered or damaged.
  case checksumMismatch
  /// The last line is missing: the file was not written or copied completely.
  case cutShort
  /// An entry contains an impossible value.
  case impossible(ImportPlace, InputProblem)
  /// Two entries have the same id and different contents.
  case contradiction(ImportPlace)
  /// An entry has content that only a newer version can have written.
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
    case .notATime, .skippedTime, .notADuration, .notAnAmount, .ambiguousAmount, .openWithEnd,
      .endMissing:
      "its parts do not fit each other"
    }
  }
}

/// A position in a file.
public enum ImportPlace: Hashable, Sendable {
  /// A line, from 1, in the native format.
  case line(Int)
  /// A list element, from 1, in the iOS app's files.
  case entry(Int)
  /// The active fast in the app's state file.
  case active

  /// The position as part of a sentence.
  public var words: String {
    switch self {
    case .line(let number): "line \(number)"
    case .entry(let number): "entry \(number)"
    case .active: "the fast that was going on"
    }
  }
}
