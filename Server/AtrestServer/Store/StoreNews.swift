// SPDX-License-Identifier: Apache-2.0
// What daemons of one store tell each other. A hint: whoever missed it finds out by the store.

import AtrestReplication
import AtrestWire

/// Something that was committed, and that other daemons may have cached.
package enum StoreNews: Hashable, Sendable {
  /// An account's feed advanced.
  case head(AccountID, Cursor)
  /// The access of a device ended.
  case revoked(ReplicaID)
  /// A device has another name.
  case renamed(ReplicaID)
  /// An account was removed.
  case removed(AccountID)
  /// An account is being moved to another cell, or went there.
  case moving(AccountID)
  /// Somebody waits with a pairing code, was let in or turned away. The code's handle.
  case pairing(String)
}

extension StoreNews {
  /// The separator between news in one notification.
  static let separator = Character(";")

  /// Compact text: a letter, then numbers in hexadecimal digits.
  var text: String {
    switch self {
    case .head(let account, let cursor):
      "h\(String(account.rawValue, radix: 16)),\(String(cursor.sequence, radix: 16)),"
        + String(cursor.commit, radix: 16)
    case .revoked(let replica): "r" + String(replica.rawValue, radix: 16)
    case .renamed(let replica): "n" + String(replica.rawValue, radix: 16)
    case .removed(let account): "x" + String(account.rawValue, radix: 16)
    case .moving(let account): "m" + String(account.rawValue, radix: 16)
    case .pairing(let handle): "p" + handle
    }
  }

  /// Nil for what a newer daemon may say, or nobody.
  init?(_ text: Substring) {
    let rest = text.dropFirst()
    switch text.first {
    case "h":
      let parts = rest.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == 3, let account = Int64(parts[0], radix: 16),
        let sequence = UInt64(parts[1], radix: 16), let commit = UInt64(parts[2], radix: 16)
      else { return nil }
      self = .head(AccountID(rawValue: account), Cursor(commit: commit, sequence: sequence))
    case "r":
      guard let number = UInt64(rest, radix: 16) else { return nil }
      self = .revoked(ReplicaID(rawValue: number))
    case "n":
      guard let number = UInt64(rest, radix: 16) else { return nil }
      self = .renamed(ReplicaID(rawValue: number))
    case "x":
      guard let number = Int64(rest, radix: 16) else { return nil }
      self = .removed(AccountID(rawValue: number))
    case "m":
      guard let number = Int64(rest, radix: 16) else { return nil }
      self = .moving(AccountID(rawValue: number))
    case "p": self = .pairing(String(rest))
    default: return nil
    }
  }
}
