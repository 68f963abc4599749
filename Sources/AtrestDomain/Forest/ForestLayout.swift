// SPDX-License-Identifier: Apache-2.0
// Computes the position of every tree and star of a forest.

import AtrestReplication

/// A tree on the canvas.
public struct PlacedTree: Hashable, Identifiable, Sendable {
  /// The tree that is placed.
  public let tree: Tree
  /// The centre's x, in points from the left.
  public let x: Double
  /// The centre's y, in points from the top of the canvas.
  public let y: Double
  /// The layer, which determines the size.
  public let depth: ForestDepth
  /// Form, colour and opacity before the layer's opacity.
  public let appearance: TreeAppearance

  /// The fast's id.
  public var id: RecordUUID { tree.id }
  /// The side of its square in points.
  public var size: Double { depth.treeSize }
  /// The opacity to draw with: its own times its layer's.
  public var opacity: Double { appearance.opacity * depth.opacity }
  /// The colour index, 0 to 4.
  public var tone: Int { tree.character.tone }
  /// Whether it has a star.
  public var hasStar: Bool { tree.state == .established }
}

/// A star on the canvas, before parallax. See `ForestCanvas.starOffset(scrolled:)`.
public struct PlacedStar: Hashable, Sendable {
  /// The id of its fast; nil for a decoration of the empty forest.
  public let id: RecordUUID?
  /// The centre's x, in points from the left.
  public let x: Double
  /// The centre's y, in points from the top of the canvas.
  public let y: Double
  /// Its layer.
  public let depth: ForestDepth

  /// The side of its square in points.
  public var size: Double { StarGlyph.forestSize * depth.starScale }
  /// The opacity to draw with.
  public var opacity: Double { depth.opacity }
}

/// A forest laid out on its canvas. Deterministic: equal trees and canvas give the same layout on
/// every device.
public struct ForestLayout: Hashable, Sendable {
  /// The canvas used.
  public let canvas: ForestCanvas
  /// The canvas's height, in points.
  public let height: Double
  /// The trees in drawing order: far layers first, and within a layer the higher ones first.
  public let trees: [PlacedTree]
  /// One star per established tree, or the decoration of the empty forest.
  public let stars: [PlacedStar]
  /// The most recent tree, which the forest scrolls to when opened.
  public let newest: RecordUUID?

  /// Whether there is no tree. Then `Word.forestEmpty` is shown in the middle.
  public var isEmpty: Bool { trees.isEmpty }
  /// The canvas's width, in points.
  public var width: Double { canvas.width }

  /// Lays a forest out.
  ///
  /// - Parameter all: All trees, oldest first, as `TreeMapper` gives them. The most recent 200
  ///   are drawn. The others keep their indices, so that a new tree changes no other tree's layer.
  /// - Complexity: O(1) in the trees that are not drawn.
  public init(trees all: [Tree], canvas: ForestCanvas) {
    let first = max(0, all.count - ForestCanvas.treeLimit)
    let height = canvas.height(trees: all.count)
    self.canvas = canvas
    self.height = height
    newest = all.last?.id
    if all.isEmpty {
      trees = []
      stars = Self.decoration.map { unit in
        PlacedStar(
          id: nil, x: unit.x * canvas.width,
          y: Self.point(unit.y, in: ForestCanvas.starZone, of: height), depth: unit.depth)
      }
      return
    }
    let units = Self.units(of: all, from: first, on: canvas)
    let isAlone = all.count == 1
    let placed = (first..<all.count).map { index in
      let depth = ForestDepth(index: index)
      let unit = isAlone ? Unit(x: 0.5, y: 1) : units[index - first]
      return PlacedTree(
        tree: all[index], x: Self.across(unit.x, depth: depth, canvas: canvas),
        y: Self.point(unit.y, in: depth.band, of: height), depth: depth,
        appearance: TreeAppearance(character: all[index].character, state: all[index].state))
    }
    stars = placed.filter { $0.hasStar }.map { tree in
      var stream = SeededStream(seed: StableHash.hash(of: tree.id) ^ Self.starSalt)
      // A single tree has its star right above it.
      let unit = isAlone ? Unit(x: 0.5, y: 0.75) : Unit(x: stream.unit(), y: stream.unit())
      return PlacedStar(
        id: tree.id, x: unit.x * canvas.width,
        y: Self.point(unit.y, in: ForestCanvas.starZone, of: height), depth: tree.depth)
    }
    trees = placed.sorted { a, b in
      if a.depth != b.depth { return a.depth.rawValue > b.depth.rawValue }
      return a.y == b.y ? a.id < b.id : a.y < b.y
    }
  }

  // MARK: - Positions

  /// A position as fractions, 0 to 1.
  private struct Unit {
    var x: Double
    var y: Double
    var depth = ForestDepth.foreground
  }

  /// Gives a star other random numbers than its tree.
  private static let starSalt: UInt64 = 0x5f37_6a61_7374_6172

  /// The stars of the empty forest.
  private static let decoration = [
    Unit(x: 0.14, y: 0.52, depth: .middle), Unit(x: 0.27, y: 0.90, depth: .background),
    Unit(x: 0.38, y: 0.33, depth: .background), Unit(x: 0.52, y: 0.70, depth: .foreground),
    Unit(x: 0.68, y: 0.42, depth: .middle), Unit(x: 0.81, y: 0.86, depth: .background),
    Unit(x: 0.90, y: 0.55, depth: .background),
  ]

  /// The least distance between trees of a layer, relative to their size, if there is room.
  private static let spacing = 0.9
  /// The factor by which trees of different layers may be closer, since one is behind the other.
  private static let depthOfView = 1.7
  /// The number of candidate positions per tree.
  private static let attempts = 24

  /// The positions of all trees from `first` on, as fractions.
  ///
  /// Each tree takes the first candidate, derived from its id, that overlaps no other tree, or else
  /// the least crowded one. Trees only avoid older trees of their block of 200, at the canvas
  /// height of that time. So a new tree moves no other, and a growing canvas only spreads them.
  private static func units(of all: [Tree], from first: Int, on canvas: ForestCanvas) -> [Unit] {
    let limit = ForestCanvas.treeLimit
    var chosen: [Unit] = []
    let start = first / limit * limit
    var block: [Unit] = []
    for index in start..<all.count {
      if index % limit == 0 { block = [] }
      let depth = ForestDepth(index: index)
      let height = canvas.height(trees: index + 1)
      let room = depth.treeSize * spacing
      var stream = SeededStream(seed: StableHash.hash(of: all[index].id))
      var best = Unit(x: stream.unit(), y: stream.unit(), depth: depth)
      var widest = distance(best, to: block, canvas, height)
      var tries = 1
      while widest < room, tries < attempts {
        let next = Unit(x: stream.unit(), y: stream.unit(), depth: depth)
        let free = distance(next, to: block, canvas, height)
        if free > widest { (best, widest) = (next, free) }
        tries += 1
      }
      block.append(best)
      if index >= first { chosen.append(best) }
    }
    return chosen
  }

  /// The distance in points to the nearest of some positions. Other layers count as farther.
  private static func distance(
    _ place: Unit, to others: [Unit], _ canvas: ForestCanvas, _ height: Double
  ) -> Double {
    let x = across(place.x, depth: place.depth, canvas: canvas)
    let y = point(place.y, in: place.depth.band, of: height)
    var nearest = Double.infinity
    for other in others {
      let dx = x - across(other.x, depth: other.depth, canvas: canvas)
      let dy = y - point(other.y, in: other.depth.band, of: height)
      let square = dx * dx + dy * dy
      nearest = min(
        nearest, other.depth == place.depth ? square : square * depthOfView * depthOfView)
    }
    return nearest.squareRoot()
  }

  /// The x of a fraction: at least half a tree from either edge, or the middle of a canvas narrower
  /// than a tree.
  private static func across(_ unit: Double, depth: ForestDepth, canvas: ForestCanvas) -> Double {
    let room = canvas.width - depth.treeSize
    return room > 0 ? depth.treeSize / 2 + unit * room : canvas.width / 2
  }

  private static func point(
    _ unit: Double, in band: ClosedRange<Double>, of height: Double
  ) -> Double {
    (band.lowerBound + unit * (band.upperBound - band.lowerBound)) * height
  }
}
