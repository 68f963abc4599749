// SPDX-License-Identifier: Apache-2.0
// Where the branches are around the trunk.

/// The overview of the tree: eight branches around the trunk.
public enum Overview {
  /// The direction of a branch in degrees, clockwise from the right: 45 for each branch. With y
  /// growing downwards, a point at distance d lies at (d cos, d sin).
  public static func degrees(branch: Int) -> Int {
    ((branch % Twig.branches + Twig.branches) % Twig.branches) * 45
  }

  /// The same direction as a unit vector. Exact on the axes.
  public static func direction(branch: Int) -> (x: Double, y: Double) {
    let diagonal = 0.5.squareRoot()
    switch degrees(branch: branch) {
    case 0: return (1, 0)
    case 45: return (diagonal, diagonal)
    case 90: return (0, 1)
    case 135: return (-diagonal, diagonal)
    case 180: return (-1, 0)
    case 225: return (-diagonal, -diagonal)
    case 270: return (0, -1)
    default: return (diagonal, -diagonal)
    }
  }
}
