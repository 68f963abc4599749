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

/// The type of words in pictures.
enum Typeface {
  /// Rounded where a device has such a face, else its own.
  static let family =
    "ui-rounded, 'SF Pro Rounded', system-ui, 'Inter', 'DejaVu Sans', sans-serif"
}
