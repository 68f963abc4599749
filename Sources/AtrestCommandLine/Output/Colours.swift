// SPDX-License-Identifier: Apache-2.0
// The terminal's colour support and the encoding of palette colours.

import AtrestDomain

/// The colour support of a terminal.
public enum Colours: Sendable, Hashable, CaseIterable {
  /// None that is reliable: eight colours have no bark, moss or dusk.
  case none
  /// The 256 colours of xterm.
  case palette256
  /// 24-bit colour.
  case all

  /// Detects the support from the environment. Unannounced support counts as absent.
  public init(environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") || term.hasSuffix("-direct")
    {
      self = .all
    } else {
      self = term.contains("256color") ? .palette256 : .none
    }
  }

  /// The SGR parameters after `38;` or `48;`; nil without colours.
  ///
  /// Source: ECMA-48, SGR; ITU-T T.416 in xterm's form; its 6 x 6 x 6 colour cube and 24 greys.
  package func code(_ colour: RGB) -> String? {
    let (red, green, blue) = colour.bytes
    switch self {
    case .none: return nil
    case .all: return "2;\(red);\(green);\(blue)"
    case .palette256:
      let steps = [0, 95, 135, 175, 215, 255]
      func nearest(_ value: UInt8) -> Int {
        steps.indices.min { abs(steps[$0] - Int(value)) < abs(steps[$1] - Int(value)) } ?? 0
      }
      let cube = [nearest(red), nearest(green), nearest(blue)]
      let level = (Int(red) + Int(green) + Int(blue)) / 3
      let grey = min(max((level - 3) / 10, 0), 23)
      func distance(_ r: Int, _ g: Int, _ b: Int) -> Int {
        let (x, y, z) = (r - Int(red), g - Int(green), b - Int(blue))
        return x * x + y * y + z * z
      }
      let shade = 8 + 10 * grey
      return distance(shade, shade, shade)
        < distance(steps[cube[0]], steps[cube[1]], steps[cube[2]])
        ? "5;\(232 + grey)" : "5;\(16 + 36 * cube[0] + 6 * cube[1] + cube[2])"
    }
  }
}
