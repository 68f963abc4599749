// SPDX-License-Identifier: Apache-2.0
// What planting costs and harvests bring: the table, and the formula's shape.

import AtrestTestSupport
import Testing
import TrunkDomain

@Suite("Prices and rewards", .timeLimit(.minutes(20)))
struct ProgressionTests {
  @Test(
    "Planting costs what the table says",
    arguments: zip(
      Season.allCases,
      [[2, 3, 4], [3, 5, 6], [5, 8, 10], [8, 12, 16], [12, 18, 24]]))
  func costs(season: Season, costs: [Int]) {
    #expect(Environment.allCases.map { Progression.cost(season, $0) } == costs.map { Soil($0) })
  }

  /// For results 1 to 5 with a capacity of 10, in ten-thousandths.
  static let golden: [(Season, Environment, [Int64])] = [
    (.twoWeeks, .fertile, [1004, 1381, 1757, 2134, 2510]),
    (.twoWeeks, .firm, [1597, 2196, 2795, 3394, 3993]),
    (.twoWeeks, .barren, [2191, 3012, 3834, 4655, 5476]),
    (.oneMonth, .fertile, [2163, 2973, 3784, 4595, 5406]),
    (.oneMonth, .firm, [3440, 4730, 6021, 7311, 8601]),
    (.oneMonth, .barren, [4718, 6488, 8257, 10026, 11796]),
    (.threeMonths, .fertile, [7530, 10354, 13178, 16002, 18825]),
    (.threeMonths, .firm, [11980, 16472, 20965, 25457, 29950]),
    (.threeMonths, .barren, [16429, 22590, 28752, 34913, 41074]),
    (.sixMonths, .fertile, [16064, 22088, 28113, 34137, 40161]),
    (.sixMonths, .firm, [25557, 35141, 44725, 54308, 63892]),
    (.sixMonths, .barren, [35049, 48193, 61337, 74480, 87624]),
    (.oneYear, .fertile, [34137, 46938, 59739, 72541, 85342]),
    (.oneYear, .firm, [54308, 74674, 95040, 115405, 135771]),
    (.oneYear, .barren, [74480, 102410, 130340, 158270, 186200]),
  ]

  @Test("A harvest brings base x environment x result x what is left to gain", arguments: golden)
  func rewards(season: Season, environment: Environment, expected: [Int64]) {
    let found = HarvestResult.allCases.map {
      (Progression.reward(season, environment, $0, capacity: .start).billionths + 50_000) / 100_000
    }
    #expect(found == expected)
  }

  @Test("Three months in firm ground, a 4, with a capacity of 50 bring 1.2923")
  func example() {
    let reward = Progression.reward(.threeMonths, .firm, .strong, capacity: Soil(50))
    #expect(reward == Soil(billionths: 1_292_310_214))
  }

  @Test("A harvest brings less, the more capacity there is, and nothing at 120")
  func diminishes() {
    let rewards = stride(from: 0, through: 120, by: 10).map {
      Progression.reward(.oneYear, .barren, .exceptional, capacity: Soil($0))
    }
    #expect(zip(rewards, rewards.dropFirst()).allSatisfy { $0 > $1 })
    #expect(rewards.last == .zero)
    #expect(Progression.reward(.oneYear, .barren, .minimal, capacity: Soil(500)) == .zero)
  }

  @Test("An uprooted sprout gives a quarter back", arguments: [2, 3, 5, 18, 24])
  func refunds(cost: Int) {
    #expect(Progression.refund(Soil(cost)) == Soil(hundredths: cost * 25))
  }

  @Test("Soil is shown to the nearer hundredth")
  func texts() {
    #expect(Soil(hundredths: -200).text == "-2.00")
    #expect(Soil(billionths: 4_999_999).text == "0.00")
    #expect(Soil(billionths: -4_999_999).text == "0.00")
    #expect(Soil(billionths: 5_000_000).text == "0.01")
    #expect(Soil(8).shortText == "8")
    #expect(Soil(hundredths: 750).shortText == "7.5")
    #expect(Soil(hundredths: 5).shortText == "0.05")
    #expect(Soil(100).shortText == "100")
  }

  @Test("Sums of soil saturate instead of trapping")
  func saturates() {
    let most = Soil(billionths: .max)
    #expect(most + most == most)
    #expect(Soil(billionths: .min) - most == Soil(billionths: .min))
  }
}
