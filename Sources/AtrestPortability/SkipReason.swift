// SPDX-License-Identifier: Apache-2.0
// Why a fast of another app's file was left out, with words for the person.

import AtrestDomain

/// Why a row or an entry of another app's file was left out.
public enum SkipReason: String, Hashable, Sendable, CaseIterable {
  /// Its start is empty or cannot be read.
  case noStart = "no_start"
  /// It has neither an end nor a length that can be read: the fast may have been going on.
  case noEnd = "no_end"
  /// A local time that the clocks skipped.
  case skippedTime = "skipped_time"
  /// It ends when it starts, or before.
  case endBeforeStart = "end_before_start"
  /// Its end and its length say different things.
  case contradiction
  /// More than 14 days.
  case tooLong = "too_long"
  /// A part of it has not come yet.
  case inTheFuture = "in_the_future"
  /// Before 1970.
  case longAgo = "long_ago"
  /// The same fast as earlier in the file.
  case repeated
  /// It shares time with a fast that is here, and the person wants none of these.
  case overlaps

  /// The reason as part of a sentence.
  public var words: String {
    switch self {
    case .noStart:
      Language.text("when it began cannot be read", de: "der Beginn ist nicht zu lesen")
    case .noEnd: Language.text("when it ended cannot be read", de: "das Ende ist nicht zu lesen")
    case .skippedTime:
      Language.text(
        "the clocks went forward over its time", de: "die Uhren wurden über seine Zeit vorgestellt")
    case .endBeforeStart:
      Language.text("it ends before it begins", de: "es endet, bevor es beginnt")
    case .contradiction:
      Language.text(
        "its end and its length contradict each other",
        de: "Ende und Dauer widersprechen einander")
    case .tooLong: Language.text("it lasts more than 14 days", de: "es dauert mehr als 14 Tage")
    case .inTheFuture: Language.text("it lies in the future", de: "es liegt in der Zukunft")
    case .longAgo: Language.text("it lies before 1970", de: "es liegt vor 1970")
    case .repeated:
      Language.text("the file has the same fast before", de: "die Datei hat dasselbe schon vorher")
    case .overlaps:
      Language.text(
        "it shares time with a fast that is here", de: "es überschneidet sich mit einem von hier")
    }
  }
}
