// SPDX-License-Identifier: Apache-2.0
// Parses typed lengths of time: numbers with units.

/// Parses lengths of time such as `16h30m` and `2 hours 30 min`.
enum TypedDuration {
  /// A unit, by its length in minutes.
  private enum Unit: Int {
    case minute = 1
    case hour = 60
    case day = 1440

    /// The unit of a word as people shorten it; nil for anything else.
    init?(_ word: Substring) {
      switch word {
      case "m", "min", "mins", "minute", "minutes", "minuten": self = .minute
      case "h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden": self = .hour
      case "d", "day", "days", "tag", "tage", "tagen": self = .day
      default: return nil
      }
    }

    /// The most digits of a number of these.
    var digits: Int { self == .minute ? 6 : self == .hour ? 5 : 4 }
  }

  /// The minutes of a lower-case text: one or more numbers with units, the greatest unit first.
  /// What follows a greater unit is less than one of it. Two digits after hours are minutes:
  /// `16h30`.
  static func minutes(in text: Substring) -> Int? {
    var rest = text
    var total = 0
    var last: Unit?
    repeat {
      let number = rest.prefix { $0.isDigit }
      rest = rest.dropFirst(number.count).drop { $0 == " " }
      let word = rest.prefix { $0.isPlainLetter }
      rest = rest.dropFirst(word.count).drop { $0 == " " }
      let isMinutesOfHours =
        word.isEmpty && rest.isEmpty && last == .hour && number.count == 2
      guard let unit = isMinutesOfHours ? .minute : Unit(word),
        let count = Typed.digits(number, upTo: unit.digits)
      else { return nil }
      if let last {
        guard unit.rawValue < last.rawValue, count * unit.rawValue < last.rawValue else {
          return nil
        }
      }
      total += count * unit.rawValue
      last = unit
    } while !rest.isEmpty
    return total
  }
}
