// SPDX-License-Identifier: Apache-2.0
// A drawing whose cells know which part of the tree they show.

import AtrestPresentation
import AtrestReplication
import TrunkDomain

/// A drawing for a terminal, and the part of the tree in each of its cells: for a cursor and a
/// mouse.
public struct NodeDrawing: Sendable {
  /// The cells.
  public internal(set) var drawing: Drawing
  private var nodes: [NodeID?]
  private var cells: [NodeID: (column: Int, row: Int)] = [:]
  private var sprouts: [Int: RecordUUID] = [:]

  init(width: Int, height: Int) {
    drawing = Drawing(width: width, height: height)
    nodes = Array(repeating: nil, count: drawing.width * drawing.height)
  }

  /// The part of the tree in a cell; nil for none, and outside.
  public func node(column: Int, row: Int) -> NodeID? {
    guard (0..<drawing.width).contains(column), (0..<drawing.height).contains(row) else {
      return nil
    }
    return nodes[row * drawing.width + column]
  }

  /// The cell of a part of the tree: where a cursor belongs; nil if it is not in the drawing.
  ///
  /// `node(column:row:)` of that cell is the part again.
  public func cell(of node: NodeID) -> (column: Int, row: Int)? { cells[node] }

  /// The part of the tree that lies nearest in a direction: where an arrow key moves a cursor; nil
  /// if there is none.
  ///
  /// - Parameters:
  ///   - across: -1 for left, 1 for right, 0 for neither.
  ///   - down: -1 for up, 1 for down, 0 for neither.
  public func neighbour(of node: NodeID, across: Int, down: Int) -> NodeID? {
    guard let (column, row) = cells[node] else { return nil }
    var best: NodeID?
    var least = (away: Int.max, row: Int.max, column: Int.max)
    for (other, cell) in cells where other != node {
      // A cell is about twice as high as it is wide.
      let (right, below) = (cell.column - column, 2 * (cell.row - row))
      let ahead = right * across + below * down
      let aside = abs(right * down) + abs(below * across)
      guard ahead > 0 else { continue }
      // What is aside counts twice, so that a straight line is preferred.
      let found = (away: ahead + 2 * aside, row: cell.row, column: cell.column)
      if found < least { (best, least) = (other, found) }
    }
    return best
  }

  /// The sprout in a row of a twig's drawing; nil for none, and in other drawings.
  public func sprout(row: Int) -> RecordUUID? { sprouts[row] }

  /// Notes that rows show a sprout.
  mutating func claim(_ sprout: RecordUUID, rows: Range<Int>) {
    for row in rows { sprouts[row] = sprout }
  }

  /// The lines as text without styles.
  ///
  /// - Parameter isASCII: Whether to use ASCII alone, for terminals and printers without Unicode.
  public func lines(isASCII: Bool = false) -> [String] {
    isASCII ? ascii.lines : drawing.lines
  }

  /// The drawing in ASCII.
  public var ascii: Drawing { drawing.ascii(marks: Glyph.ascii) }

  /// Notes that a cell shows a part, unless another part was there before.
  mutating func claim(_ node: NodeID, column: Int, row: Int, isPlace: Bool = false) {
    guard (0..<drawing.width).contains(column), (0..<drawing.height).contains(row) else { return }
    let index = row * drawing.width + column
    if isPlace {
      cells[node] = (column, row)
      nodes[index] = node
    } else if nodes[index] == nil {
      nodes[index] = node
    }
  }
}
