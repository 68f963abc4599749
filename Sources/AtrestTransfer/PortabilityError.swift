// SPDX-License-Identifier: Apache-2.0
// Errors of an import, each with a sentence for the person.

import AtrestDomain

/// Why a file was rejected. Nothing was changed. No case carries personal content of the file.
public enum PortabilityError: Error, Hashable, Sendable {
  /// The file exceeds the size limit.
  case tooLarge(limitBytes: Int)
  /// The file exceeds the entry limit.
  case tooManyEntries(limit: Int)
  /// The file is something else than a history.
  case other(FileKind)
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
      Language.text(
        "The file is longer than \(limit / 1_048_576) MiB, which is more than is read at once. "
          + "Check that it is the right one.",
        de: "Die Datei ist länger als \(limit / 1_048_576) MiB, mehr als auf einmal gelesen wird. "
          + "Prüfe, ob es die richtige ist.")
    case .tooManyEntries(let limit):
      Language.text(
        "The file holds more than \(limit) entries. Check that it is the right one.",
        de: "Die Datei hat mehr als \(limit) Einträge. Prüfe, ob es die richtige ist.")
    case .other(let kind): kind.userMessage
    case .invalidFormat(nil):
      Language.text(
        "This is no export that can be read here. Choose an export of Atrest, of the iOS app, or "
          + "one of the app's files session-state.json and water-log.json; or another app's fasts "
          + "as CSV or JSON.",
        de: "Das ist kein Export, der hier gelesen werden kann. Wähle einen Export von Atrest, der "
          + "iOS-App, oder eine ihrer Dateien session-state.json und water-log.json; oder das "
          + "Fasten einer anderen App als CSV oder JSON.")
    case .invalidFormat(let place?):
      Language.text(
        "The file cannot be read: \(place.words) is not what it should be. Nothing was brought "
          + "in. Make the export again.",
        de: "Die Datei kann nicht gelesen werden: \(place.words) ist nicht, wie es sein soll. "
          + "Nichts wurde hereingeholt. Mach den Export noch einmal.")
    case .unsupportedVersion(let found, let current):
      Language.text(
        "The file has version \(found) of its format, and this program reads version \(current). "
          + "Update the program, or make the export again.",
        de: "Die Datei hat Version \(found) ihres Formats, und dieses Programm liest Version "
          + "\(current). Aktualisiere das Programm, oder mach den Export noch einmal.")
    case .checksumMismatch:
      Language.text(
        "The file's checksum does not fit its content, so it was changed or damaged. Nothing was "
          + "brought in. Make the export again.",
        de: "Die Prüfsumme der Datei passt nicht zu ihrem Inhalt, also wurde sie geändert oder "
          + "beschädigt. Nichts wurde hereingeholt. Mach den Export noch einmal.")
    case .cutShort:
      Language.text(
        "The file ends too early. Nothing was brought in. Copy it again, or make the export again.",
        de: "Die Datei endet zu früh. Nichts wurde hereingeholt. Kopiere sie noch einmal, oder "
          + "mach den Export noch einmal.")
    case .impossible(let place, let problem):
      Language.text(
        "Nothing was brought in, because \(place.words) cannot be: \(Self.words(problem)). "
          + "Correct it where the file comes from, then make the export again.",
        de: "Nichts wurde hereingeholt, denn \(place.words) kann nicht sein: "
          + "\(Self.words(problem)). Korrigiere es dort, wo die Datei herkommt, dann mach den "
          + "Export noch einmal.")
    case .contradiction(let place):
      Language.text(
        "Nothing was brought in, because \(place.words) has the id of an earlier one and says "
          + "something else. Make the export again.",
        de: "Nichts wurde hereingeholt, denn \(place.words) hat die Kennung von etwas Früherem und "
          + "sagt etwas anderes. Mach den Export noch einmal.")
    case .newer(let place):
      Language.text(
        "Nothing was brought in, because \(place.words) holds something that this version does "
          + "not know. Update the program.",
        de: "Nichts wurde hereingeholt, denn \(place.words) enthält etwas, das diese Version nicht "
          + "kennt. Aktualisiere das Programm.")
    }
  }

  private static func words(_ problem: InputProblem) -> String {
    let (least, most) = (TypedRules.millilitres.lowerBound, TypedRules.millilitres.upperBound)
    return switch problem {
    case .inTheFuture:
      Language.text("its time lies in the future", de: "die Zeit liegt in der Zukunft")
    case .longAgo: Language.text("its time lies before 1970", de: "die Zeit liegt vor 1970")
    case .endBeforeStart:
      Language.text("the fast ends before it starts", de: "das Fasten endet, bevor es beginnt")
    case .fastTooLong:
      Language.text(
        "the fast lasts more than 14 days", de: "das Fasten dauert mehr als 14 Tage")
    case .amountOutOfRange, .ouncesOutOfRange:
      Language.text(
        "its amount is not within \(least) to \(most) ml",
        de: "die Menge liegt nicht zwischen \(least) und \(most) ml")
    case .targetOutOfRange:
      Language.text(
        "its target is not within a minute to 7 days",
        de: "das Ziel liegt nicht zwischen einer Minute und 7 Tagen")
    case .notATime, .skippedTime, .notADuration, .notAnAmount, .ambiguousAmount, .openWithEnd,
      .endMissing:
      Language.text("its parts do not fit each other", de: "die Teile passen nicht zueinander")
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
    case .line(let number): Language.text("line \(number)", de: "Zeile \(number)")
    case .entry(let number): Language.text("entry \(number)", de: "Eintrag \(number)")
    case .active:
      Language.text("the fast that was going on", de: "das Fasten, das gerade lief")
    }
  }
}
