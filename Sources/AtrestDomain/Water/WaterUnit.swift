// SPDX-License-Identifier: Apache-2.0
// The units of volume that people use.

/// A unit of volume for display and input. Amounts are stored in whole millilitres.
public enum WaterUnit: String, Hashable, Sendable, CaseIterable {
  /// Millilitres.
  case millilitres = "ml"
  /// US fluid ounces: 29.5735295625 ml.
  case fluidOunces = "oz"

  /// The unit's symbol: `ml` or `fl oz`.
  public var sign: String {
    switch self {
    case .millilitres: "ml"
    case .fluidOunces: "fl oz"
    }
  }
}

extension AmountText {
  /// An amount in a unit: `1250 ml`, or to a tenth of an ounce, `8.5 fl oz`. What is less than a
  /// twentieth of an ounce is 1 ml, and shown in hundredths: it is not nothing.
  public static func text(millilitres: Int, unit: WaterUnit) -> String {
    switch unit {
    case .millilitres: return text(millilitres: millilitres)
    case .fluidOunces:
      // Ten-millionths of a millilitre keep this in integers. The bound is far above a day's amount
      // and far below overflow.
      let amount = Int64(min(max(millilitres, 0), 1_000_000_000))
      let perTenth: Int64 = 29_573_530
      let mark = Language.current.decimalMark
      if amount == 1 { return "0\(mark)03 fl oz" }
      let tenths = Int((amount * 10_000_000 + perTenth / 2) / perTenth)
      let whole = tenths / 10
      return (tenths % 10 == 0 ? "\(whole)" : "\(whole)\(mark)\(tenths % 10)") + " fl oz"
    }
  }
}
