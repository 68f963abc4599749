// SPDX-License-Identifier: Apache-2.0
// The size of the forest's canvas and the parameters of its layers.

/// A layer of the forest by distance.
public enum ForestDepth: Int, Hashable, Sendable, CaseIterable {
  /// The nearest: the first tree and every third after it.
  case foreground = 0
  /// The middle layer.
  case middle = 1
  /// The farthest layer.
  case background = 2

  /// The layer of the tree at an index.
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

  /// The opacity of the layer's trees and stars.
  public var opacity: Double {
    switch self {
    case .foreground: 1
    case .middle: 0.65
    case .background: 0.40
    }
  }

  /// The vertical range of tree centres, as fractions of the canvas height from the top.
  public var band: ClosedRange<Double> {
    switch self {
    case .foreground: 0.55...0.90
    case .middle: 0.35...0.65
    case .background: 0.15...0.45
    }
  }

  /// The scale of the layer's stars; stars shrink as trees do.
  public var starScale: Double { treeSize / Self.foreground.treeSize }
}

/// The canvas of a forest: as wide as the screen, taller than it, and scrolled.
public struct ForestCanvas: Hashable, Sendable {
  /// The screen's width, in points.
  public let width: Double
  /// The screen's height, in points.
  public let screenHeight: Double

  /// The least height, in screen heights.
  public static let leastHeights = 1.5
  /// The height per tree, in points.
  public static let growthPerTree = 35.0
  /// The most trees drawn; older ones are kept but not drawn.
  public static let treeLimit = 200
  /// The vertical range of the stars, as fractions of the canvas height from the top.
  public static let starZone = 0.0...0.40
  /// The stars' scroll speed relative to the trees'.
  public static let starSpeed = 0.30

  /// Creates a canvas. Sizes are clamped to 1 to 100,000 points.
  public init(width: Double, screenHeight: Double) {
    func sane(_ points: Double) -> Double {
      points.isNaN ? 1 : min(max(points, 1), 100_000)
    }
    self.width = sane(width)
    self.screenHeight = sane(screenHeight)
  }

  /// The height for a number of drawn trees: 35 points per tree plus half a screen, at least 1.5
  /// screens.
  public func height(trees: Int) -> Double {
    max(
      screenHeight * Self.leastHeights,
      Double(min(max(trees, 0), Self.treeLimit)) * Self.growthPerTree + screenHeight * 0.5)
  }

  /// The downward offset of the star layer in points, which makes it scroll at 30 % of the trees'
  /// speed.
  ///
  /// - Parameter scrolled: The scroll offset in points; negative on overscroll at the top.
  public static func starOffset(scrolled: Double) -> Double {
    scrolled * (1 - starSpeed)
  }
}
