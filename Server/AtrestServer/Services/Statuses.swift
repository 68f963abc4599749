// SPDX-License-Identifier: Apache-2.0
// The errors of this server's calls, with messages for people.

import AtrestHTTP2
import AtrestWire

extension Status {
  /// The token is missing or wrong, or its device was revoked. Callers cannot tell which.
  static let unknownDevice = Status(
    .unauthenticated, "This device has no access to the account. Pair it again.")
  /// The code is wrong, used or expired. Callers cannot tell which.
  static let badCode = Status(
    .permissionDenied, "This pairing code does not work. Ask for a new one.")
  /// The pending device sent no nonce, so it could not be told from another one with the same code.
  static let hasNoDigits = Status(
    .failedPrecondition,
    "A device of the account has to let this one in, and this program has no digits to show it. Update it, then try again."
  )
  /// A pending device called again while its first call waited.
  static let calledAgain = Status(
    .aborted, "This device asked again. The newer call is the one that is answered.")
  static let nobodyWaits = Status(.notFound, "Nobody waits under this handle any more.")
  static let tooManyDevices = Status(
    .resourceExhausted, "This account has too many devices.")
  static let tooManyTraces = Status(
    .resourceExhausted,
    "This account made very many codes or devices lately. Wait a minute, then try again.")
  static let tooManyRenames = Status(
    .resourceExhausted, "Devices were renamed very often just now. Wait a minute, then try again.")
  static let fullAccount = Status(
    .resourceExhausted, "The account is full: the server's owner lets it hold no more.")
  static let tooManyStatements = Status(
    .resourceExhausted,
    "Very many purchases were sent that do not verify. Wait some minutes, then try again.")
  static let wrongAccountName = Status(
    .invalidArgument, "That is not the account's name, so nothing was removed.")
  static let notErased = Status(
    .resourceExhausted,
    "The account is removed, but its values may still be in the database's files, which could not be made anew: the log says why. The server tries again each hour."
  )
  static let tooManyTries = Status(
    .resourceExhausted, "Too many wrong pairing codes were tried. Wait a minute, then try again.")
  static let busy = Status(
    .resourceExhausted, "The server has too much to do at the moment. Try again soon.")
  static let goingAway = Status(.unavailable, "The server is stopping. Try again soon.")
  static let moving = Status(
    .unavailable,
    "This account is being moved to another database. Nothing is lost. Try again soon.")
  static let notFound = Status(.notFound, "There is no such device.")
  static let badName = Status(
    .invalidArgument, "A name has 1 to 64 bytes and no control characters.")

  /// The request does not decode.
  init(_ error: WireError) {
    if let rule = error.rule {
      self.init(.invalidArgument, "The request breaks a rule: \(rule).")
    } else {
      self.init(.internal, "The request cannot be read.")
    }
  }

  /// Maps a storage error.
  init(_ error: StoreError) {
    switch error {
    case .full:
      self.init(
        .resourceExhausted,
        "The server's disk has less than 48 MiB left, so it takes nothing new for now. What it holds is safe."
      )
    case .closed: self = .goingAway
    case .notAwaited: self.init(.cancelled, "The call ended before it was done.")
    case .failed, .notLoaded:
      self.init(.internal, "The server could not store this. Its log says more.")
    case .unavailable, .busy:
      self.init(
        .unavailable, "The server cannot reach its database. Nothing is lost. Try again soon.")
    case .moving:
      self = .moving
    case .outcomeUnknown:
      self.init(
        .unavailable,
        "The server does not know whether this was stored. Nothing is lost. Send it again.")
    case .inputOutput, .commitUnknown, .damaged, .inUse, .newerVersion, .olderVersion,
      .unfinishedCopy, .notAStore, .cannotOpen, .wrongCell, .hasMoves:
      // The outcome is unknown. Repeating the request is safe and settles it.
      self.init(.unavailable, "The server's storage failed. Try again later.")
    }
  }
}

/// Rules for the names of accounts and devices.
enum Name {
  /// Whether the length is within bounds and the name has no control characters.
  static func isAllowed(_ name: String) -> Bool {
    (1...NameLimit.bytes).contains(name.utf8.count)
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// The name with the first free number appended ("phone 2"), truncated to the maximum length.
  static func next(after name: String, _ taken: Set<String>) -> String {
    var number = 2
    while true {
      let suffix = " \(number)"
      var stem = name
      while stem.utf8.count + suffix.utf8.count > NameLimit.bytes { stem.removeLast() }
      if !taken.contains(stem + suffix) { return stem + suffix }
      number += 1
    }
  }
}
