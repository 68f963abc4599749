// SPDX-License-Identifier: Apache-2.0
// Keys from the bytes that a terminal sends. Pure.

/// A key that live views distinguish.
public enum TerminalKey: Hashable, Sendable {
  /// An ASCII letter, lower-cased.
  case letter(Character)
  /// The escape key by itself.
  case escape
  /// Any other key, such as a digit, an arrow or a non-ASCII letter.
  case other
}

/// Parses keys from terminal input. A control sequence is one key, even if it arrives in pieces.
public struct TerminalKeys: Sendable {
  private enum State {
    case ground
    /// After an escape byte that is either the key or the start of a sequence.
    case escape
    /// After a settled escape key. The rest of a late sequence must not count as typed letters.
    case late
    case sequence
    case oneMore
  }

  private var state = State.ground

  /// No key is pending.
  public init() {}

  /// After this many milliseconds without a byte an escape is the key. Longer than a network delays
  /// the second half of a sequence.
  public static let escapeMilliseconds = 300

  /// Whether an escape byte is pending, until more bytes or `settle`.
  public var isUndecided: Bool { state == .escape }

  /// Parses bytes as they arrive.
  public mutating func receive(_ bytes: some Sequence<UInt8>) -> [TerminalKey] {
    bytes.compactMap { receive($0) }
  }

  /// Call after `escapeMilliseconds` without a byte.
  public mutating func settle() -> [TerminalKey] {
    guard isUndecided else { return [] }
    state = .late
    return [.escape]
  }

  private mutating func receive(_ byte: UInt8) -> TerminalKey? {
    switch (state, byte) {
    case (.escape, 0x1B): return .escape
    case (.sequence, 0x1B), (.ground, 0x1B), (.late, 0x1B):
      state = .escape
      return nil
    case (.escape, UInt8(ascii: "[")), (.late, UInt8(ascii: "[")):
      state = .sequence
      return nil
    // The Linux console sends `ESC [ [ E` for F5.
    case (.escape, UInt8(ascii: "O")), (.late, UInt8(ascii: "O")), (.sequence, UInt8(ascii: "[")):
      state = .oneMore
      return nil
    // ECMA-48, section 5.4: a final byte ends a sequence.
    case (.sequence, 0x40...0x7E), (.oneMore, _), (.escape, _):
      state = .ground
      return .other
    case (.sequence, _): return nil
    case (.ground, _), (.late, _):
      state = .ground
      return Self.key(byte)
    }
  }

  private static func key(_ byte: UInt8) -> TerminalKey? {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A: .letter(Character(UnicodeScalar(byte | 0x20)))
    case 0x80...0xBF: nil  // A UTF-8 continuation byte.
    default: .other
    }
  }
}
