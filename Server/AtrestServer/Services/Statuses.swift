// SPDX-License-Identifier: Apache-2.0
// The errors of this server's calls, with messages for people.

import AtrestDomain
import AtrestHTTP2
import AtrestWire

extension Status {
  /// The token is missing or wrong, or its device was revoked. Callers cannot tell which.
  package static let unknownDevice = Status(
    .unauthenticated, "This device has no access to the account. Pair it again."
  )
  .because(.deviceUnknown, retry: .useless)
  /// The code is wrong, used or expired. Callers cannot tell which.
  static let badCode = Status(
    .permissionDenied, "This pairing code does not work. Ask for a new one."
  )
  .because(.pairingCodeInvalid, retry: .useless)
  /// The pending device sent no nonce, so it could not be told from another one with the same code.
  static let hasNoDigits = Status(
    .failedPrecondition,
    "A device of the account has to let this one in, and this program has no digits to show it. Update it, then try again."
  )
  .because(.pairingNonceMissing, retry: .useless)
  /// A pending device called again while its first call waited.
  static let calledAgain = Status(
    .aborted, "This device asked again. The newer call is the one that is answered."
  )
  .because(.pairingSuperseded, retry: .useless)
  static let nobodyWaits = Status(.notFound, "Nobody waits under this handle any more.")
    .because(.pendingDeviceNotFound)
  static let tooManyDevices = Status(
    .resourceExhausted, "This account has too many devices."
  )
  .because(.deviceLimit, quota: .account, retry: .useless)
  static let tooManyTraces = Status(
    .resourceExhausted,
    "This account made very many codes or devices lately. Wait a minute, then try again."
  )
  .because(.pairingRate, quota: .account, retry: .after(.seconds(60)))
  static let tooManyRenames = Status(
    .resourceExhausted, "Devices were renamed very often just now. Wait a minute, then try again."
  )
  .because(.renameRate, quota: .account, retry: .after(.seconds(60)))
  static let fullAccount = Status(
    .resourceExhausted, "The account is full: the server's owner lets it hold no more."
  )
  .because(.accountFull, quota: .account, retry: .useless)
  static let tooManyStatements = Status(
    .resourceExhausted,
    "Very many purchases were sent that do not verify. Wait some minutes, then try again."
  )
  .because(.purchaseRate, quota: .account, retry: .after(.seconds(300)))
  static let wrongAccountName = Status(
    .invalidArgument, "That is not the account's name, so nothing was removed."
  )
  .because(.accountNameMismatch)
  static let notErased = Status(
    .resourceExhausted,
    "The account is removed, but its values may still be in the database's files, which could not be made anew: the log says why. The server tries again each hour."
  )
  .because(.erasurePending, retry: .useless)
  static let tooManyTries = Status(
    .resourceExhausted, "Too many wrong pairing codes were tried. Wait a minute, then try again."
  )
  .because(.pairingAttemptRate, quota: .address, retry: .after(.seconds(60)))
  static let tooManyQuestions = Status(
    .resourceExhausted,
    "Too many questions about the services were asked from this address. Wait a minute, then ask again."
  )
  .because(.questionRate, quota: .address, retry: .after(.seconds(60)))
  static let busy = Status(
    .resourceExhausted, "The server has too much to do at the moment. Try again soon."
  )
  .because(.serverBusy, retry: .after(.seconds(1)))
  static let goingAway = Status(.unavailable, "The server is stopping. Try again soon.")
    .because(.serverStopping)
  static let moving = Status(
    .unavailable,
    "This account is being moved to another database. Nothing is lost. Try again soon."
  )
  .because(.accountMoving)
  static let notFound = Status(.notFound, "There is no such device.")
    .because(.deviceNotFound)
  static let badName = Status(
    .invalidArgument, "A name has 1 to 64 bytes, all of which can be seen."
  )
  .because(.nameInvalid)

  /// The request does not decode.
  init(_ error: WireError) {
    if let rule = error.rule {
      self = Status(.invalidArgument, "The request breaks a rule: \(rule).")
        .because(.requestInvalid)
    } else {
      self = Status(.internal, "The request cannot be read.").because(.requestMalformed)
    }
  }

  /// Maps a storage error.
  init(_ error: StoreError) {
    switch error {
    case .full:
      self = Status(
        .resourceExhausted,
        "The server's disk has less than 48 MiB left, so it takes nothing new for now. What it holds is safe."
      )
      .because(.diskFull, retry: .after(.seconds(60)))
    case .closed: self = .goingAway
    case .notAwaited: self = Status(.cancelled, "The call ended before it was done.")
    case .failed, .notLoaded:
      self = Status(.internal, "The server could not store this. Its log says more.")
        .because(.storeFailed)
    case .unavailable, .busy:
      self = Status(
        .unavailable, "The server cannot reach its database. Nothing is lost. Try again soon."
      )
      .because(.storeUnreachable)
    case .moving:
      self = .moving
    case .outcomeUnknown:
      self = Status(
        .unavailable,
        "The server does not know whether this was stored. Nothing is lost. Send it again."
      )
      .because(.outcomeUnknown)
    case .inputOutput, .commitUnknown, .damaged, .inUse, .newerVersion, .olderVersion,
      .unfinishedCopy, .notAStore, .cannotOpen, .wrongCell, .hasMoves:
      // The outcome is unknown. Repeating the request is safe and settles it.
      self = Status(.unavailable, "The server's storage failed. Try again later.")
        .because(.storeFailed)
    }
  }
}

/// Rules for the names of accounts and devices.
enum Name {
  /// Whether the length is within bounds and people can tell the name from others.
  static func isAllowed(_ name: String) -> Bool {
    (1...NameLimit.bytes).contains(name.utf8.count) && name.isReadableName
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
