// SPDX-License-Identifier: Apache-2.0
// A garden's pictures: the hash of every byte.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import TrunkDomain
import TrunkPresentation

extension PortableCase {
  static func gardens() -> [PortableCase] {
    let garden = garden
    let twig = Twig.all[20]
    return [
      picture("a garden", GardenPicture.svg(garden, at: end, in: .utc), "1cd19e9e0be37acc"),
      picture(
        "its branch", BranchPicture.svg(garden, branch: 2, at: end, in: .utc), "29ce23a34f552c2f"),
      picture("its twig", TwigPicture.svg(garden, twig, at: end, in: .utc), "21aefdc6342f908f"),
      drawing(
        "a garden in a terminal",
        GardenDrawing.draw(garden, at: end, in: .utc, width: 80, height: 24).drawing,
        "a5aa3d9fd6a2da95"),
    ]
  }

  /// Sprouts in every state, on a third of the twigs.
  private static var garden: Garden {
    var sprouts: [Sprout] = []
    for (number, session) in sessions(40).enumerated() {
      let plan = Sprout.Plan(Season.allCases[number % 5], .fertile)
      var sprout = Sprout(
        id: session.id, title: "Goal \(number) & more", twig: Twig.all[number * 20 % 64],
        plan: plan, created: session.span.start)
      if number % 4 > 0 {
        sprout.planting = Sprout.Planting(at: session.span.start, plan: plan)
      }
      if number % 4 > 1 {
        sprout.outcome = Sprout.Outcome(
          at: session.span.start.advanced(by: 86_400_000),
          result: number % 4 == 2 ? nil : HarvestResult.allCases[number % 5])
      }
      sprouts.append(sprout)
    }
    return Garden(
      sprouts: sprouts, labels: [NodeLabel(id: .branch(2), label: "Body <3 \u{202E}")])
  }
}
