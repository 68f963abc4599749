// SPDX-License-Identifier: Apache-2.0
// Keys from the bytes that a terminal sends. Pure.

/// Parses keys from terminal input. A control sequence is one key, even if it arrives in pieces.
public struct TerminalKeys: Sendable {
  private enum State {
    case ground
    /// After the first bytes of a character in UTF-8 of `length` bytes.
    case character([UInt8], length: Int)
    /// After an escape byte that is either the key or the start of a sequence.
    case escape
    /// After a settled escape key. The rest of a late sequence must not count as typed letters.
    case late
    /// After `ESC [` and these parameters.
    case sequence([UInt8])
    /// After `ESC O`.
    case oneMore
    /// Before this many bytes that say nothing.
    case skipping(Int)
    /// Within a bracketed paste.
    case paste
  }

  private var state = State.ground
  /// The bytes of a paste so far.
  private var pasted: [UInt8] = []

  /// No key is pending.
  public init() {}

  /// After this many milliseconds without a byte an escape is the key. Longer than a network delays
  /// the second half of a sequence.
  public static let escapeMilliseconds = 300
  /// The most bytes that are kept of a paste.
  public static let pasteLimit = 65_536
  /// The most bytes of parameters that are looked at.
  private static let parameterLimit = 32

  /// Whether an escape byte is pending, until more bytes or `settle`.
  public var isUndecided: Bool { if case .escape = state { true } else { false } }

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
    switch state {
    case .ground: return begin(byte)
    case .character(let bytes, let length): return goOn(bytes + [byte], length: length)
    case .escape where byte == 0x1B: return .escape
    case .escape, .late: return afterEscape(byte)
    case .sequence(let parameters): return inSequence(parameters, byte)
    case .oneMore:
      state = .ground
      return Self.arrow(byte) ?? .other
    case .skipping(let count):
      state = count > 1 ? .skipping(count - 1) : .ground
      return count > 1 ? nil : .other
    case .paste: return inPaste(byte)
    }
  }

  private mutating func begin(_ byte: UInt8) -> TerminalKey? {
    state = .ground
    switch byte {
    case 0x1B:
      state = .escape
      return nil
    case 0x0A, 0x0D: return .enter
    case 0x09: return .tab
    case 0x08, 0x7F: return .backspace
    case 0x01...0x1A: return .control(Character(UnicodeScalar(byte + 0x60)))
    case 0x20...0x7E: return .character(Character(UnicodeScalar(byte)))
    case 0xC2...0xF4:
      state = .character([byte], length: byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4)
      return nil
    case 0x80...0xBF: return nil  // The rest of a character that was not understood.
    default: return .other
    }
  }

  private mutating func goOn(_ bytes: [UInt8], length: Int) -> TerminalKey? {
    guard let last = bytes.last, (0x80...0xBF).contains(last) else {
      // Cut off: what comes next stands for itself.
      return bytes.last.flatMap { begin($0) }
    }
    guard bytes.count == length else {
      state = .character(bytes, length: length)
      return nil
    }
    state = .ground
    guard let text = String(validating: bytes, as: UTF8.self) else { return .other }
    return text.first.map { .character($0) }
  }

  private mutating func afterEscape(_ byte: UInt8) -> TerminalKey? {
    switch (byte, isUndecided) {
    case (UInt8(ascii: "["), _):
      state = .sequence([])
      return nil
    case (UInt8(ascii: "O"), _):
      state = .oneMore
      return nil
    case (_, false): return begin(byte)
    // Alt with a key.
    case (_, true):
      state = .ground
      return .other
    }
  }

  private mutating func inSequence(_ parameters: [UInt8], _ byte: UInt8) -> TerminalKey? {
    switch byte {
    case 0x1B:
      state = .escape
      return nil
    // The Linux console sends `ESC [ [ E` for F5.
    case UInt8(ascii: "[") where parameters.isEmpty:
      state = .oneMore
      return nil
    // ECMA-48, section 5.4: a final byte ends a sequence.
    case 0x40...0x7E:
      state = .ground
      return final(byte, String(decoding: parameters, as: UTF8.self))
    default:
      if parameters.count < Self.parameterLimit { state = .sequence(parameters + [byte]) }
      return nil
    }
  }

  /// The key of a whole sequence.
  private mutating func final(_ byte: UInt8, _ parameters: String) -> TerminalKey? {
    switch (byte, parameters) {
    case (UInt8(ascii: "~"), "200"):
      state = .paste
      return nil
    // X10's reports of a mouse have three bytes after the sequence.
    case (UInt8(ascii: "M"), ""):
      state = .skipping(3)
      return nil
    case (UInt8(ascii: "M"), _): return Self.mouse(parameters) ?? .other
    // A button that is let go says nothing.
    case (UInt8(ascii: "m"), _): return parameters.first == "<" ? nil : .other
    default: return Self.arrow(byte) ?? .other
    }
  }

  private mutating func inPaste(_ byte: UInt8) -> TerminalKey? {
    let end = Array("\u{1B}[201~".utf8)
    pasted.append(byte)
    guard pasted.suffix(end.count) == end[...] else {
      // Too long a paste loses bytes, but not what may be the start of its end.
      if pasted.count >= Self.pasteLimit + end.count { pasted.remove(at: Self.pasteLimit) }
      return nil
    }
    state = .ground
    defer { pasted = [] }
    return .paste(String(decoding: pasted.dropLast(end.count), as: UTF8.self))
  }

  private static func arrow(_ byte: UInt8) -> TerminalKey? {
    switch byte {
    case UInt8(ascii: "A"): .arrow(.up)
    case UInt8(ascii: "B"): .arrow(.down)
    case UInt8(ascii: "C"): .arrow(.right)
    case UInt8(ascii: "D"): .arrow(.left)
    default: nil
    }
  }

  /// xterm's SGR reports: `<button;column;row`, both counted from 1.
  private static func mouse(_ parameters: String) -> TerminalKey? {
    guard parameters.first == "<" else { return nil }
    let numbers = parameters.dropFirst().split(separator: ";").map { Int($0) }
    guard numbers.count == 3, let button = numbers[0], let column = numbers[1],
      let row = numbers[2], column > 0, row > 0
    else { return nil }
    // Shift, Meta and Control are 4, 8 and 16.
    switch button & ~0b11100 {
    case 0: return .click(column: column - 1, row: row - 1)
    case 2: return .rightClick
    case 64: return .wheel(isUp: true)
    case 65: return .wheel(isUp: false)
    default: return nil
    }
  }
}
