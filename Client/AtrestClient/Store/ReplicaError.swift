// SPDX-License-Identifier: Apache-2.0
// What can go wrong with the local replica, each with a sentence for the person at the terminal.

/// Why the replica could not do what was asked. Nothing was changed, and nothing on disk was
/// overwritten.
public enum ReplicaError: Error, Hashable, Sendable {
  /// The directory or a file in it cannot be made or opened. The reason is the system's.
  case inaccessible(path: String, reason: String)
  /// The file is there and is not a readable replica.
  case damaged(path: String)
  /// A newer version of this software made the replica.
  case newer(path: String, version: Int, supported: Int)
  /// Another program holds the replica and did not let go within the busy timeout.
  case busy(path: String)
  /// The disk is full, or a write to it failed. The reason is SQLite's.
  case storage(reason: String)
  /// A value cannot be stored; the sentence names the rule and not the value.
  case invalid(String)
  /// The replica belongs to an account already.
  case alreadyPaired(account: String)
  /// The replica was unpaired, or paired with another account, while it was talking to its server.
  case pairingEnded

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .inaccessible(let path, let reason):
      "The replica at \(path) cannot be opened: \(reason). Check the path and its permissions."
    case .damaged(let path):
      """
      The replica at \(path) cannot be read; nothing in it was changed. Keep the folder, \
      and start a new replica elsewhere: pairing it brings back everything that was synced.
      """
    case .newer(let path, let version, let supported):
      """
      The replica at \(path) was made by a newer version (format \(version); this one knows \
      \(supported)). Update this program.
      """
    case .busy(let path):
      "Another program is using the replica at \(path). Wait until it is done, then try again."
    case .storage(let reason):
      "The replica could not be written: \(reason). Free some space or check the disk, then try again."
    case .invalid(let sentence):
      sentence
    case .alreadyPaired(let account):
      """
      This replica belongs to the account “\(account)” already. Leave that one first, which keeps everything you wrote here, or use another \
      replica folder.
      """
    case .pairingEnded:
      """
      This replica left its account, or joined another, meanwhile. Nothing was mixed; start again.
      """
    }
  }
}
