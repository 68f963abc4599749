// SPDX-License-Identifier: Apache-2.0
// Where the parts of the garden's pictures are, for those who touch them.

import AtrestReplication
import AtrestTestSupport
import Testing
import TrunkDomain
import TrunkPresentation

@Suite("What can be touched in a garden's pictures", .timeLimit(.minutes(20)))
struct MappedPictureTests {
  private let twig = Twig.all[20]

  private func isInside(_ spot: PictureSpot, _ picture: MappedPicture) -> Bool {
    let (x, y) = (spot.x + spot.width / 2, spot.y + spot.height / 2)
    return (0...picture.width).contains(x) && (0...picture.height).contains(y)
  }

  @Test("a tree has a spot for each branch, at least a finger wide", arguments: [320.0, 390, 1440])
  func tree(width: Double) {
    let picture = GardenPicture.mapped(
      fullGarden(300), at: noon, in: .utc, width: width, height: 676)
    #expect(picture.spots.map { $0.subject } == (0..<8).map { .node(.branch($0)) })
    #expect(picture.spots.allSatisfy { isInside($0, picture) && $0.width >= 44 && $0.height >= 44 })
    #expect(
      picture.svg
        == GardenPicture.svg(fullGarden(300), at: noon, in: .utc, width: width, height: 676))
  }

  @Test("a branch has a spot for each twig, and none covers another", arguments: [390.0, 1440])
  func branch(width: Double) {
    let picture = BranchPicture.mapped(
      fullGarden(300), branch: 2, at: noon, in: .utc, width: width)
    #expect(picture.spots.map { $0.subject } == (16..<24).map { .node(.twig(Twig.all[$0])) })
    for (index, a) in picture.spots.enumerated() {
      #expect(isInside(a, picture))
      for b in picture.spots[..<index] {
        let isApart = abs(a.y - b.y) >= 88 || abs(a.x - b.x) >= width / 2
        #expect(isApart, "\(a.words), \(b.words)")
      }
    }
  }

  @Test("a twig has a spot for each sprout that is drawn, and says what it is")
  func twigSprouts() {
    let garden = Garden(sprouts: [
      sprout(1, "Read", on: twig), sprout(2, "Run", on: twig, planted: nil),
      sprout(3, "Elsewhere", on: Twig.all[21]),
    ])
    let picture = TwigPicture.mapped(garden, twig, at: noon, in: .utc)
    #expect(picture.spots.map { $0.subject } == [.sprout(.numbered(1)), .sprout(.numbered(2))])
    #expect(picture.spots[0].words == "Read 1 month, firm; growing, 33 %, until 9 Jun 2026")
    #expect(picture.spots[0].y + picture.spots[0].height <= picture.spots[1].y)
  }

  @Test("a picture fills the height that it is given, and what is on it stays")
  func heights() {
    let garden = Garden(sprouts: [sprout(1, "Read", on: twig)])
    let small = TwigPicture.mapped(garden, twig, at: noon, in: .utc)
    let tall = TwigPicture.mapped(garden, twig, at: noon, in: .utc, height: 776)
    #expect((small.height, tall.height) == (240, 776))
    #expect(small.spots == tall.spots)
    let branch = BranchPicture.mapped(garden, branch: 2, at: noon, in: .utc, height: 1200)
    #expect(branch.height == 1200)
  }

  @Test("the last words of a sprout are those written last, whatever their ids")
  func lastWords() {
    func watering(_ number: UInt64, _ days: Double, _ note: String) -> Watering {
      Watering(
        id: .numbered(number), sprout: .numbered(1), at: ago(days),
        day: GardenDay(ago(days), in: .utc), note: note)
    }
    let garden = Garden(
      sprouts: [sprout(1, on: twig)],
      waterings: [watering(5, 1, "later words"), watering(9, 3, "earlier words")])
    let picture = TwigPicture.svg(garden, twig, at: noon, in: .utc)
    #expect(picture.contains("later words"))
    #expect(!picture.contains("earlier words"))
  }

  @Test("a sprout's own picture shows its state")
  func ownPicture() {
    let draft = SproutPicture.svg(sprout(1, planted: nil), at: noon)
    let ripe = SproutPicture.svg(sprout(1, planted: 40), at: noon)
    let harvested = SproutPicture.svg(sprout(1, planted: 40, ended: 1, .strong), at: noon)
    #expect(draft.contains("href=\"#bud\""))
    #expect(ripe.contains("href=\"#ripe\""))
    #expect(harvested.contains("href=\"#blossom-4\""))
  }
}
