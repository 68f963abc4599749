// SPDX-License-Identifier: Apache-2.0
// The sprouts of each twig with their marks, in one pass over the garden.

import AtrestReplication
import TrunkDomain

/// What is on a twig.
struct TwigContent {
  let twig: Twig
  /// What grows first, then harvests, drafts and the uprooted; the latest of each first.
  private(set) var sprouts: [(sprout: Sprout, mark: Mark)] = []
  private(set) var counts = SproutCounts()

  /// The contents of all twigs, by `Twig.index`.
  static func all(of garden: Garden, at now: WallTime) -> [TwigContent] {
    var contents = Twig.all.map { TwigContent(twig: $0) }
    for sprout in garden.sprouts {
      contents[sprout.twig.index].add(sprout, Mark(sprout, at: now))
    }
    for index in contents.indices { contents[index].sort() }
    return contents
  }

  /// The content of one twig.
  static func of(_ twig: Twig, in garden: Garden, at now: WallTime) -> TwigContent {
    var content = TwigContent(twig: twig)
    for sprout in garden.sprouts where sprout.twig == twig {
      content.add(sprout, Mark(sprout, at: now))
    }
    content.sort()
    return content
  }

  private mutating func add(_ sprout: Sprout, _ mark: Mark) {
    sprouts.append((sprout, mark))
    counts.add(sprout)
  }

  private mutating func sort() {
    sprouts = sprouts.ordered { a, b in
      if a.mark.rank != b.mark.rank { return a.mark.rank < b.mark.rank }
      let (from, to) = (Self.time(a.sprout), Self.time(b.sprout))
      return from == to ? a.sprout.id < b.sprout.id : from > to
    }
  }

  private static func time(_ sprout: Sprout) -> WallTime {
    sprout.ended ?? sprout.planting?.at ?? sprout.created
  }

  /// The marks for at most `room` places: the first of each state while there is room, so that no
  /// state is missing, then what grows, harvests and so on.
  func marks(room: Int) -> [(sprout: Sprout, mark: Mark)] {
    guard sprouts.count > room else { return sprouts }
    var chosen: [Int] = []
    for rank in 0...3 {
      if let index = sprouts.firstIndex(where: { $0.mark.rank == rank }) { chosen.append(index) }
    }
    for index in sprouts.indices where chosen.count < room && !chosen.contains(index) {
      chosen.append(index)
    }
    return chosen.prefix(room).sorted().map { sprouts[$0] }
  }
}
