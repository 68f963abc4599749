// SPDX-License-Identifier: Apache-2.0
// Parses SVG path data into flattened outlines.

/// A point in a silhouette's square: 0 to 1024, x to the right, y downwards.
public struct SilhouettePoint: Hashable, Sendable {
  /// The distance to the right.
  public var x: Double
  /// The distance downwards.
  public var y: Double

  /// Creates a point; the range is not checked.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// A compound path of closed polygons: curves are flattened on parsing.
public struct SilhouettePath: Hashable, Sendable {
  /// The outlines, implicitly closed.
  public let outlines: [[SilhouettePoint]]

  /// The longest path data that is parsed, in bytes.
  public static let limitBytes = 256 * 1024

  /// The replacement for an unreadable path: a plain ellipse, 15 % from the sides and 5 % from top
  /// and bottom. A tree is still shown and no error reported.
  public static let fallback = SilhouettePath(
    outlines: [
      (0..<48).map { step in
        SilhouettePoint(
          x: 512 + 512 * 0.70 * cosine(step), y: 512 + 512 * 0.90 * cosine(step + 36))
      }
    ])

  /// The cosine of a number of 48ths of a turn. A table, because the standard library has no
  /// cosine and the C library is not portable.
  private static func cosine(_ step: Int) -> Double {
    let inHalf = min(step % 48, 48 - step % 48)
    return inHalf > 12 ? -quarter[24 - inHalf] : quarter[inHalf]
  }

  private static let quarter = [
    1, 0.9914448613738104, 0.9659258262890683, 0.9238795325112867, 0.8660254037844387,
    0.7933533402912352, 0.7071067811865476, 0.6087614290087207, 0.5, 0.3826834323650898,
    0.2588190451025207, 0.1305261922200516, 0,
  ]

  init(outlines: [[SilhouettePoint]]) {
    self.outlines = outlines
  }

  /// Parses SVG path data with the commands M, L, C, Q and Z, upper or lower case.
  ///
  /// Source: SVG 1.1, section 8.3.
  /// - Returns: nil for anything else: another command, a malformed or missing number, no outline.
  public init?(data: String) {
    var scanner = PathScanner(data)
    guard data.utf8.count <= Self.limitBytes else { return nil }
    var outlines: [[SilhouettePoint]] = []
    var outline: [SilhouettePoint] = []
    var at = SilhouettePoint(x: 0, y: 0)
    var start = at
    var command: UInt8?
    while !scanner.isAtEnd {
      if let letter = scanner.letter() {
        command = letter
      } else if command == nil || command == UInt8(ascii: "Z") || command == UInt8(ascii: "z") {
        return nil
      }
      guard let current = command else { return nil }
      let isRelative = current >= UInt8(ascii: "a")
      func point() -> SilhouettePoint? {
        guard let x = scanner.number(), let y = scanner.number() else { return nil }
        return isRelative
          ? SilhouettePoint(x: at.x + x, y: at.y + y) : SilhouettePoint(x: x, y: y)
      }
      switch current & 0xdf {
      case UInt8(ascii: "M"):
        guard let next = point() else { return nil }
        if outline.count > 2 { outlines.append(outline) }
        (at, start, outline) = (next, next, [next])
        command = isRelative ? UInt8(ascii: "l") : UInt8(ascii: "L")
      case UInt8(ascii: "L"):
        guard !outline.isEmpty, let next = point() else { return nil }
        outline.append(next)
        at = next
      case UInt8(ascii: "C"):
        guard !outline.isEmpty, let a = point(), let b = point(), let next = point() else {
          return nil
        }
        Self.flatten(from: at, a, b, next, into: &outline)
        at = next
      case UInt8(ascii: "Q"):
        guard !outline.isEmpty, let middle = point(), let next = point() else { return nil }
        func toward(_ end: SilhouettePoint) -> SilhouettePoint {
          SilhouettePoint(
            x: end.x + (middle.x - end.x) * 2 / 3, y: end.y + (middle.y - end.y) * 2 / 3)
        }
        Self.flatten(from: at, toward(at), toward(next), next, into: &outline)
        at = next
      case UInt8(ascii: "Z"):
        guard !outline.isEmpty else { return nil }
        if outline.count > 2 { outlines.append(outline) }
        (at, outline) = (start, [start])
      default: return nil
      }
    }
    if outline.count > 2 { outlines.append(outline) }
    guard !outlines.isEmpty else { return nil }
    self.outlines = outlines
  }

  /// Adds a cubic curve as segments of about 6 units.
  private static func flatten(
    from a: SilhouettePoint, _ b: SilhouettePoint, _ c: SilhouettePoint, _ d: SilhouettePoint,
    into outline: inout [SilhouettePoint]
  ) {
    let reach = abs(b.x - a.x) + abs(b.y - a.y) + abs(c.x - b.x) + abs(c.y - b.y)
    let pieces = min(max(Int(min(reach + abs(d.x - c.x) + abs(d.y - c.y), 384) / 6), 2), 64)
    for piece in 1...pieces {
      let t = Double(piece) / Double(pieces)
      let r = 1 - t
      let (wa, wb, wc, wd) = (r * r * r, 3 * r * r * t, 3 * r * t * t, t * t * t)
      outline.append(
        SilhouettePoint(
          x: wa * a.x + wb * b.x + wc * c.x + wd * d.x,
          y: wa * a.y + wb * b.y + wc * c.y + wd * d.y))
    }
  }
}

/// A tokenizer for letters and numbers.
private struct PathScanner {
  private var rest: Substring.UTF8View

  init(_ data: String) {
    rest = data[...].utf8
    skip()
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func letter() -> UInt8? {
    guard let byte = rest.first, (0x41...0x5a).contains(byte & 0xdf), byte >= 0x41 else {
      return nil
    }
    rest.removeFirst()
    skip()
    return byte
  }

  mutating func number() -> Double? {
    var end = rest.startIndex
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    if let byte = rest.first, byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") {
      end = rest.index(after: end)
    }
    var sawPoint = false
    while end < rest.endIndex,
      isDigit(rest[end]) || (!sawPoint && rest[end] == UInt8(ascii: "."))
    {
      if rest[end] == UInt8(ascii: ".") { sawPoint = true }
      end = rest.index(after: end)
    }
    guard let value = DecimalNumber.value(rest[..<end]), abs(value) <= 1e6 else {
      return nil
    }
    rest = rest[end...]
    skip()
    return value
  }

  private mutating func skip() {
    while let byte = rest.first, byte == 0x20 || (9...13).contains(byte) || byte == 0x2c {
      rest.removeFirst()
    }
  }
}
