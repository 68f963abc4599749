// SPDX-License-Identifier: Apache-2.0
// What a person does with keyboard and mouse in a live view.

/// A key, a paste, or a press of the mouse.
public enum TerminalKey: Hashable, Sendable {
  /// A direction on the screen.
  public enum Direction: Hashable, Sendable, CaseIterable {
    case up, down, left, right
  }

  /// A printable character of one Unicode scalar: an accent that follows is a key of its own.
  case character(Character)
  /// Control with a lower-cased ASCII letter.
  case control(Character)
  case enter
  case tab
  case backspace
  /// The escape key by itself.
  case escape
  case arrow(Direction)
  /// A bracketed paste, without the brackets. At most `TerminalKeys.pasteLimit` bytes of it.
  case paste(String)
  /// The left button was pressed on a cell; both are counted from 0.
  case click(column: Int, row: Int)
  /// The right button was pressed.
  case rightClick
  /// The wheel was turned.
  case wheel(isUp: Bool)
  /// Any other key, such as a function key.
  case other

  /// The ASCII letter, lower-cased; nil for any other key.
  public var letter: Character? {
    guard case .character(let character) = self, character.isASCII, character.isLetter else {
      return nil
    }
    return Character(character.lowercased())
  }
}
