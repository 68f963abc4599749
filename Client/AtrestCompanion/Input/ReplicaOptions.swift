// SPDX-License-Identifier: Apache-2.0
// Selects and opens the replica of a command.

import ArgumentParser
import AtrestClient
import AtrestSync
import Foundation

/// Selects the replica. The process closes in good order what is opened here when its command ends.
public struct ReplicaOptions<Program: Companion>: ParsableArguments, Sendable {
  /// The folder as it was typed; nil if it was not.
  @Option(
    help: ArgumentHelp(
      "The folder of the replica.",
      discussion: """
        Otherwise \(Program.replicaVariable), then $XDG_DATA_HOME/\(Program.replicaFolderName), \
        then ~/.local/share/\(Program.replicaFolderName).
        """,
      valueName: "dir"), completion: .directory)
  public var replica: String?

  /// The options of a command line without them.
  public init() {}

  /// The replica's directory: the one that was typed, else that of the environment, else the usual
  /// one.
  public var directory: URL {
    ReplicaDirectory.resolve(
      option: replica, environment: ProcessInfo.processInfo.environment,
      variable: Program.replicaVariable, folder: Program.replicaFolderName)
  }

  /// Opens the replica if there is one; nil if there is none. Never creates one.
  ///
  /// One on a disk that is full or may not be written is opened all the same: it can be looked at
  /// and exported, and a write says why it cannot be.
  public func openExisting() throws(ReplicaError) -> Replica? {
    guard Replica.exists(at: directory) else { return nil }
    let replica = try Replica(directory: directory, clock: SystemClock(), looking: true)
    if replica.isWritable { OpenReplicas.add(replica) }
    return replica
  }

  /// Opens the replica for a call to its server.
  ///
  /// - Throws: `SyncError.notPaired` if there is none; `ReplicaError`.
  public func openPaired() throws -> Replica {
    guard Replica.exists(at: directory) else { throw SyncError.notPaired }
    return try open()
  }

  /// Opens the replica, creating it if there is none.
  public func open() throws(ReplicaError) -> Replica {
    let replica = try Replica(directory: directory)
    OpenReplicas.add(replica)
    return replica
  }
}
