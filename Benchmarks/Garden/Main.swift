// SPDX-License-Identifier: Apache-2.0
// Measures what is derived from a large garden: the replay of its ledger, and its picture.

import AtrestDomain
import AtrestReplication
import Foundation
import TrunkDomain
import TrunkPresentation

/// In the package itself and not in that of the other benchmarks, because no product has a garden.
@main
enum Main {
  static func main() {
    let (sprouts, waterings) = (2_000, 40_000)
    let large = LargeGarden(sprouts: sprouts, waterings: waterings)
    let garden = Garden(sprouts: large.sprouts, waterings: large.waterings)
    print("\nOf \(sprouts) sprouts and \(waterings) waterings, median of \(rounds) rounds")
    // The least that any replay costs: its events are in no order of time.
    let times =
      large.sprouts.flatMap { [$0.planting?.at, $0.ended].compactMap { $0 } }
      + large.waterings.map(\.at)
    var sum = 0
    let sort = measure { sum += times.sorted().count }
    let replay = measure {
      let ledger = Ledger(sprouts: large.sprouts, waterings: large.waterings, shinings: [])
      sum += ledger.soil > .zero ? 1 : 0
    }
    var bytes = 0
    let picture = measure {
      bytes = GardenPicture.svg(garden, at: large.now, in: .utc).utf8.count
    }
    line("the ledger, replayed", replay)
    line("its \(times.count) times, sorted", sort)
    print("replayed / sorted: \(decimal(replay / sort))")
    line("the picture of the tree", picture)
    print("the picture: \(bytes) bytes")
    // Otherwise the compiler might leave out the work.
    precondition(sum > 0 && bytes > 0, "nothing was measured")
  }

  private static let rounds = 101

  /// Milliseconds.
  private static func measure(_ body: () -> Void) -> Double {
    let samples = (0..<rounds).map { _ in
      let taken = ContinuousClock().measure(body).components
      return Double(taken.seconds) * 1e3 + Double(taken.attoseconds) / 1e15
    }
    return samples.sorted()[rounds / 2]
  }

  private static func line(_ name: String, _ milliseconds: Double) {
    print(
      name + String(repeating: " ", count: max(1, 32 - name.count)) + decimal(milliseconds) + " ms")
  }

  private static func decimal(_ number: Double) -> String { String(format: "%.2f", number) }
}
