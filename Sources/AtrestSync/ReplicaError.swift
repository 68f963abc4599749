// SPDX-License-Identifier: Apache-2.0
// Errors of the local replica, each with a sentence for the person at the terminal.

/// Why the replica could not do what was asked. Nothing was changed, and nothing on disk was
/// overwritten.
///
/// Not an enumeration: a version that tells more apart breaks nobody's `switch`.
public struct ReplicaError: Error, Hashable, Sendable {
  /// What happened, with what belongs to it. Within the package a new case stops the build
  /// wherever it needs a decision.
  package enum Reason: Hashable, Sendable {
    case inaccessible(path: String, reason: String)
    case damaged(path: String)
    case newer(path: String, version: Int, supported: Int)
    case busy(path: String)
    case storage(reason: String)
    case invalid(String)
    case alreadyPaired(account: String)
    case pairingEnded
  }

  package let reason: Reason

  /// What kind of error it is. There may be more kinds in a later version.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// Its name.
    public let description: String

    private init(_ name: String) { description = name }

    /// ``ReplicaError/inaccessible(path:reason:)``
    public static let inaccessible = Code("inaccessible")
    /// ``ReplicaError/damaged(path:)``
    public static let damaged = Code("damaged")
    /// ``ReplicaError/newer(path:version:supported:)``
    public static let newer = Code("newer")
    /// ``ReplicaError/busy(path:)``
    public static let busy = Code("busy")
    /// ``ReplicaError/storage(reason:)``
    public static let storage = Code("storage")
    /// ``ReplicaError/invalid(_:)``
    public static let invalid = Code("invalid")
    /// ``ReplicaError/alreadyPaired(account:)``
    public static let alreadyPaired = Code("alreadyPaired")
    /// ``ReplicaError/pairingEnded``
    public static let pairingEnded = Code("pairingEnded")

    #if !hasFeature(Embedded)
      /// Has `catch ReplicaError.Code.busy` catch an error of that kind.
      public static func ~= (code: Code, error: any Error) -> Bool {
        (error as? ReplicaError)?.code == code
      }
    #endif
  }

  /// For programs.
  public var code: Code {
    switch reason {
    case .inaccessible: .inaccessible
    case .damaged: .damaged
    case .newer: .newer
    case .busy: .busy
    case .storage: .storage
    case .invalid: .invalid
    case .alreadyPaired: .alreadyPaired
    case .pairingEnded: .pairingEnded
    }
  }

  /// The directory or a file in it cannot be made or opened. The reason is the system's.
  public static func inaccessible(path: String, reason: String) -> ReplicaError {
    ReplicaError(reason: .inaccessible(path: path, reason: reason))
  }

  /// The file is there and is not a readable replica.
  public static func damaged(path: String) -> ReplicaError {
    ReplicaError(reason: .damaged(path: path))
  }

  /// A newer version of this software made the replica.
  public static func newer(path: String, version: Int, supported: Int) -> ReplicaError {
    ReplicaError(reason: .newer(path: path, version: version, supported: supported))
  }

  /// Another program holds the replica and did not let go within the busy timeout.
  public static func busy(path: String) -> ReplicaError {
    ReplicaError(reason: .busy(path: path))
  }

  /// The disk is full, or a write to it failed. The reason is SQLite's.
  public static func storage(reason: String) -> ReplicaError {
    ReplicaError(reason: .storage(reason: reason))
  }

  /// A value cannot be stored; the sentence names the rule and not the value.
  public static func invalid(_ sentence: String) -> ReplicaError {
    ReplicaError(reason: .invalid(sentence))
  }

  /// The replica belongs to an account already.
  public static func alreadyPaired(account: String) -> ReplicaError {
    ReplicaError(reason: .alreadyPaired(account: account))
  }

  /// The replica was unpaired, or paired with another account, while it was talking to its server.
  public static let pairingEnded = ReplicaError(reason: .pairingEnded)

  /// What happened, then what to do.
  public var userMessage: String {
    switch reason {
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

extension ReplicaError: CustomStringConvertible {
  /// The reason as logs show it.
  public var description: String { "\(reason)" }
}
