// SPDX-License-Identifier: Apache-2.0
// The screen reader's text and the typeface of pictures.

import AtrestDomain

extension Tree {
  /// The tree's description with the date of its fast.
  package func words(in zone: ZoneOffsets) -> String {
    let day = TimeText.day(LocalDay(session.span.end ?? session.span.start, in: zone))
    return state == .incomplete
      ? Word.forestTreeIncompleteA11y.text(day)
      : Word.forestTreeEstablishedA11y.text(Palette.name(ofTone: character.tone), day)
  }
}

/// The typeface of pictures.
public enum Typeface {
  /// Rounded if available, otherwise the system's.
  public static let family =
    "ui-rounded, 'SF Pro Rounded', system-ui, 'Inter', 'DejaVu Sans', sans-serif"
}
