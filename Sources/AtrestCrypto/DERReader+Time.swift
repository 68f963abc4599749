// SPDX-License-Identifier: Apache-2.0
// Reads the times of certificates.

extension DERReader {
  /// A time in milliseconds since 1970, UTC.
  ///
  /// Source: RFC 5280, section 4.1.2.5: either with two digits of the year, of 1950 to 2049, or
  /// with four; to the second, in UTC.
  mutating func readTime() throws(MalformedCertificate) -> Int64 {
    let yearDigits = isNext(.utcTime) ? 2 : 4
    let text = try read(isNext(.utcTime) ? .utcTime : .generalizedTime)
    guard text.count == yearDigits + 11, text.last == UInt8(ascii: "Z") else {
      throw MalformedCertificate()
    }
    var digits = text.dropLast()
    func number(_ count: Int) throws(MalformedCertificate) -> Int {
      var number = 0
      for byte in digits.prefix(count) {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
          throw MalformedCertificate()
        }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
      }
      digits = digits.dropFirst(count)
      return number
    }
    var year = try number(yearDigits)
    if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
    let (month, day) = (try number(2), try number(2))
    let (hour, minute, second) = (try number(2), try number(2), try number(2))
    guard year > 0, (1...12).contains(month), (1...Self.days(of: month, year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { throw MalformedCertificate() }
    let days = Self.days(before: year, month) + day - 1
    return Int64(((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
  }

  private static func days(of month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from the beginning of 1970 to the first of a month; less than zero before.
  private static func days(before year: Int, _ month: Int) -> Int {
    let past = year - 1
    let years = past * 365 + past / 4 - past / 100 + past / 400
    return years - 719_162 + (1..<month).reduce(0) { $0 + days(of: $1, year) }
  }
}
