// SPDX-License-Identifier: Apache-2.0
// What planting costs, and what a harvest brings.

/// The prices and rewards of the garden.
public enum Progression {
  /// The soil that a sprout takes while it grows.
  public static func cost(_ season: Season, _ environment: Environment) -> Soil {
    let costs: (fertile: Int, firm: Int, barren: Int) =
      switch season {
      case .twoWeeks: (2, 3, 4)
      case .oneMonth: (3, 5, 6)
      case .threeMonths: (5, 8, 10)
      case .sixMonths: (8, 12, 16)
      case .oneYear: (12, 18, 24)
      }
    switch environment {
    case .fertile: return Soil(costs.fertile)
    case .firm: return Soil(costs.firm)
    case .barren: return Soil(costs.barren)
    }
  }

  /// The capacity that a harvest adds: less, the more of it there is already.
  ///
  /// It is base x environment x result x (1 - capacity / 120)^1.5. The power is a product with a
  /// square root, which IEEE 754 rounds exactly, so every platform computes the same bits.
  /// - Parameter capacity: The capacity before the harvest.
  public static func reward(
    _ season: Season, _ environment: Environment, _ result: HarvestResult, capacity: Soil
  ) -> Soil {
    let room = max(0, 1 - capacity.value / Soil.greatestCapacity.value)
    return Soil(
      rounding: season.baseReward * environment.rewardFactor * result.rewardFactor
        * (room * room.squareRoot()))
  }

  /// What an uprooted sprout gives back at once: a quarter of its price.
  public static func refund(_ cost: Soil) -> Soil { cost.quarter }
}
