// SPDX-License-Identifier: Apache-2.0
// The edits that a person may make to a drink.

import AtrestReplication

extension WaterEntry {
  /// A copy of the drink with some parts changed. What is given is checked; the other part is not:
  /// another program may have written it, or this device's clock may be behind that of the device
  /// that did.
  ///
  /// - Parameters:
  ///   - unit: The unit of the person who typed the amount, for the error.
  ///   - now: A given time may not lie after it.
  /// - Throws: `InputProblem` of a part that is given.
  public func edited(
    at: WallTime? = nil, millilitres: Int? = nil, unit: WaterUnit = .millilitres, now: WallTime
  ) throws(InputProblem) -> WaterEntry {
    if let at { try TypedRules.check(time: at, now: now) }
    if let millilitres { try TypedRules.check(millilitres: millilitres, unit: unit) }
    let intake = Intake(
      at: at ?? intake.at, millilitres: millilitres ?? intake.millilitres)
    guard let intake else { throw .amountOutOfRange }
    return WaterEntry(id: id, intake: intake)
  }
}
