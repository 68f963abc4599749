// SPDX-License-Identifier: Apache-2.0
// What pictures say to people who hear them, and the type that they are set in.

import AtrestDomain
import Foundation

extension Tree {
  /// What it is, and the day of its fast.
  func words(in zone: TimeZone) -> String {
    let day = TimeText.day(LocalDay(session.span.end ?? session.span.start, in: zone))
    return state == .incomplete
      ? Word.forestTreeIncompleteA11y.text(day)
      : Word.forestTreeEstablishedA11y.text(Palette.name(ofTone: character.tone), day)
  }
}

extension MonthGrid {
  /// `Nov 2026`.
  var title: String {
    // A day without its number.
    TimeText.day(month.firstDay).split(separator: " ").dropFirst().joined(separator: " ")
  }
}

extension Weekday {
  /// Two letters, as they stand above a column.
  var initials: String {
    switch self {
    case .monday: "Mo"
    case .tuesday: "Tu"
    case .wednesday: "We"
    case .thursday: "Th"
    case .friday: "Fr"
    case .saturday: "Sa"
    case .sunday: "Su"
    }
  }
}

/// The type of words in pictures.
enum Typeface {
  /// Rounded where a device has such a face, else its own.
  static let family =
    "ui-rounded, 'SF Pro Rounded', system-ui, 'Inter', 'DejaVu Sans', sans-serif"
}
