// SPDX-License-Identifier: Apache-2.0
// Why an account was not moved, with the message for the owner.

/// Why an account was not moved.
package enum AccountMoveError: Error, Equatable {
  /// Something failed in the cell that the account is in.
  case source(StoreError)
  /// Something failed in the cell that it moves to.
  case target(StoreError)
  /// Both cells are one.
  case sameCell
  /// The source has no account of this name.
  case unknownAccount
  /// Somebody else is moving it at this moment.
  case underWay
  /// It is on its way to another cell than the one that was named.
  case movesElsewhere(CellNumber)
  /// The target has an account of this name.
  case nameTaken
  /// The target has a device with the identity of one of the account's.
  case deviceTaken
  /// An account in the target holds one of its purchases.
  case purchaseTaken
  /// An account in the target has its App Store token.
  case tokenTaken
  /// The copy is not like the original: these parts of it.
  case differs([ArchivePart])
  /// There is nothing to cancel.
  case notMoving
  /// It is live in the target, so it cannot be cancelled.
  case isLive

  /// Whether the source was left as it is, or was brought back to it: the account is in use there.
  package var isRefusal: Bool {
    switch self {
    case .source, .underWay, .movesElsewhere, .isLive: false
    case .target(let error): error == .full
    case .sameCell, .unknownAccount, .nameTaken, .deviceTaken, .purchaseTaken, .tokenTaken,
      .differs, .notMoving:
      true
    }
  }

  /// Whether the account may be frozen, and has to be thawed because going on is no use.
  var hasToBeUndone: Bool {
    switch self {
    case .target(let error): error == .full
    case .nameTaken, .deviceTaken, .purchaseTaken, .tokenTaken, .differs: true
    case .source, .sameCell, .unknownAccount, .underWay, .movesElsewhere, .notMoving, .isLive: false
    }
  }

  /// The message for the owner: what happened, then what to do.
  ///
  /// - Parameter name: The account's.
  package func userMessage(name: String, from source: CellNumber, to target: CellNumber) -> String {
    switch self {
    case .source(let error):
      "Cell \(source) failed. \(error.userMessage)\n\(Self.goesOn)"
    case .target(.full):
      "There is no room left in cell \(target). \(name) stays in cell \(source). Free some space, "
        + "then move it again."
    case .target(let error):
      "Cell \(target) failed. \(error.userMessage)\n\(Self.goesOn)"
    case .sameCell: "\(name) would move to the cell that it is in. Name another one with --to."
    case .unknownAccount:
      "There is no account \(name) in cell \(source). `atrest-syncd account list` shows all."
    case .underWay: "\(name) is being moved by somebody else. Wait until that has ended."
    case .movesElsewhere(let cell):
      "\(name) is on its way to cell \(cell). Finish that move, or cancel it, with --to \(cell)."
    case .nameTaken:
      "Cell \(target) has an account \(name) already, so it stays in cell \(source). Move or remove "
        + "the other one first."
    case .deviceTaken:
      "Cell \(target) has a device of \(name) already, so the account stays in cell \(source). One "
        + "of the two cells was made from a copy of the other: devices can only be in one."
    case .purchaseTaken:
      "Another account in cell \(target) holds a purchase of \(name), which stays in cell "
        + "\(source). Let one of the two give it up first."
    case .tokenTaken:
      "Another account in cell \(target) has the App Store's name of \(name), which stays in cell "
        + "\(source). One of the two cells was made from a copy of the other."
    case .differs(let parts):
      "The copy of \(name) in cell \(target) was not like the original ("
        + parts.map { "\($0)" }.joined(separator: ", ")
        + ") and was removed again. The account stays in cell \(source). "
        + "`atrest-syncd store check` tells whether one of the cells is damaged."
    case .notMoving: "\(name) is not being moved. It is in use in cell \(source)."
    case .isLive:
      "\(name) is in use in cell \(target) already, so this cannot be cancelled. Finish the move "
        + "with the same command without --cancel."
    }
  }

  private static let goesOn =
    "The same command goes on from here, or --cancel lets the account stay where it is. Until "
    + "then its devices may have to wait; they lose nothing."
}
