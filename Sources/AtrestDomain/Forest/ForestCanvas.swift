// SPDX-License-Identifier: Apache-2.0
// How large a forest's canvas is, and how near its layers are.

/// A layer of the forest.
public enum ForestDepth: Int, Hashable, Sendable, CaseIterable {
  /// Near: the first tree, and every third after it.
  case foreground = 0
  /// In between.
  case middle = 1
  /// Far.
  case background = 2

  /// The layer of the tree that is so many trees after the first.
  public init(index: Int) {
    self = Self.allCases[Int(index.magnitude % 3)]
  }

  /// The side of a tree's square, in points.
  public var treeSize: Double {
    switch self {
    case .foreground: 80
    case .middle: 62
    case .background: 48
    }
  }

  /// How much of a tree, or a star, shows through the dusk.
  public var opacity: Double {
    switch self {
    case .foreground: 1
    case .middle: 0.65
    case .background: 0.40
    }
  }

  /// The centres of trees, as parts of the canvas's height from the top.
  public var band: ClosedRange<Double> {
    switch self {
    case .foreground: 0.55...0.90
    case .middle: 0.35...0.65
    case .background: 0.15...0.45
    }
  }

  /// The size of a star, of one in the foreground: as trees shrink.
  public var starScale: Double { treeSize / Self.foreground.treeSize }
}

/// The canvas on which a forest is laid out: as wide as the screen, taller than it, and scrolled.
public struct ForestCanvas: Hashable, Sendable {
  /// The screen's width, in points.
  public let width: Double
  /// The screen's height, in points.
  public let screenHeight: Double

  /// The least height, of the screen's.
  public static let leastHeights = 1.5
  /// Points that each tree adds.
  public static let growthPerTree = 35.0
  /// How many trees are drawn at most: the most recent ones. Older ones are kept, and not drawn.
  public static let treeLimit = 200
  /// The zone of the stars, as part of the canvas's height from the top.
  public static let starZone = 0.0...0.40
  /// How fast the stars move while the trees scroll, of 1.
  public static let starSpeed = 0.30

  /// A canvas. Sizes that no screen has are clamped to 1 to 100,000 points.
  public init(width: Double, screenHeight: Double) {
    func sane(_ points: Double) -> Double {
      points.isNaN ? 1 : min(max(points, 1), 100_000)
    }
    self.width = sane(width)
    self.screenHeight = sane(screenHeight)
  }

  /// The height for so many drawn trees: at least 1.5 screens, else 35 points a tree and half a
  /// screen.
  public func height(trees: Int) -> Double {
    max(
      screenHeight * Self.leastHeights,
      Double(min(max(trees, 0), Self.treeLimit)) * Self.growthPerTree + screenHeight * 0.5)
  }

  /// How far the star layer is moved down within the canvas, in points, so that it moves at 30 % of
  /// the trees' speed.
  ///
  /// - Parameter scrolled: Points by which the canvas has moved up; negative while it is pulled
  ///   beyond its top.
  public static func starOffset(scrolled: Double) -> Double {
    scrolled * (1 - starSpeed)
  }
}
