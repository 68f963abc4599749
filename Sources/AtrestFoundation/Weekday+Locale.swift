// SPDX-License-Identifier: Apache-2.0
// Reads the first weekday of a locale from Foundation.

import AtrestDomain
import Foundation

extension Weekday {
  /// The first weekday of a locale; Monday (ISO 8601) if unknown.
  public static func first(in locale: Locale) -> Weekday {
    var calendar = Calendar(identifier: .gregorian)
    calendar.locale = locale
    return Weekday(rawValue: calendar.firstWeekday) ?? .monday
  }
}
