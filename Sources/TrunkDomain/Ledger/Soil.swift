// SPDX-License-Identifier: Apache-2.0
// An exact amount of soil: sums of it do not depend on how they are grouped.

/// An amount of soil, or of capacity for it, in billionths. Prices are whole, recoveries are
/// hundredths, and a reward is rounded once, to a billionth: so a replay gives the same bits
/// everywhere.
public struct Soil: Hashable, Comparable, Sendable {
  /// The amount in billionths.
  public let billionths: Int64

  /// An amount of billionths.
  public init(billionths: Int64) {
    self.billionths = billionths
  }

  /// A whole amount.
  public init(_ whole: Int) {
    billionths = Int64(whole) * Self.unit
  }

  /// An amount of hundredths.
  public init(hundredths: Int) {
    billionths = Int64(hundredths) * (Self.unit / 100)
  }

  /// The nearest amount; a tie is rounded away from zero. Zero for what is no number.
  init(rounding value: Double) {
    let scaled = value * Double(Self.unit)
    guard scaled > -9e17, scaled < 9e17 else {
      billionths = 0
      return
    }
    billionths = Int64(scaled.rounded())
  }

  private static let unit: Int64 = 1_000_000_000

  /// Nothing.
  public static let zero = Soil(0)
  /// The capacity of a new garden, and what is in it: 10.
  public static let start = Soil(10)
  /// The greatest capacity: 120.
  public static let greatestCapacity = Soil(120)
  /// What a watering brings back: 0.05.
  public static let perWatering = Soil(hundredths: 5)
  /// What a shining brings back: 0.35.
  public static let perShining = Soil(hundredths: 35)

  /// The amount as a number, for pictures and shares.
  public var value: Double { Double(billionths) / Double(Self.unit) }

  /// A quarter: what an uprooted sprout gives back.
  var quarter: Soil { Soil(billionths: billionths / 4) }

  /// With two decimals, the nearer hundredth: `7.35`, `-2.00`.
  public var text: String { decimal(digits: 2) }

  /// Without decimals that are zero: `8`, `7.5`, `0.05`. The nearer hundredth.
  public var shortText: String {
    var text = decimal(digits: 2)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  private func decimal(digits: Int) -> String {
    var step = Self.unit
    for _ in 0..<digits { step /= 10 }
    let size = billionths.magnitude
    let rounded = (size + UInt64(step / 2)) / UInt64(step)
    let scale = UInt64(Self.unit / step)
    let fraction = String(rounded % scale)
    let sign = billionths < 0 && rounded > 0 ? "-" : ""
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(rounded / scale).\(zeros)\(fraction)"
  }

  /// Adds amounts. A garden of 2^47 milliseconds cannot overflow it: each event adds at most 144.
  public static func + (a: Soil, b: Soil) -> Soil {
    let (sum, overflow) = a.billionths.addingReportingOverflow(b.billionths)
    return Soil(billionths: overflow ? (b.billionths > 0 ? .max : .min) : sum)
  }

  /// Subtracts an amount.
  public static func - (a: Soil, b: Soil) -> Soil {
    let (rest, overflow) = a.billionths.subtractingReportingOverflow(b.billionths)
    return Soil(billionths: overflow ? (b.billionths > 0 ? .min : .max) : rest)
  }

  /// Orders amounts.
  public static func < (a: Soil, b: Soil) -> Bool { a.billionths < b.billionths }
}
