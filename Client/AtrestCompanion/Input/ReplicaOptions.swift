// SPDX-License-Identifier: Apache-2.0
// Selects and opens the replica of a command.

import ArgumentParser
import AtrestClient
import AtrestDomain
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
    // What was parsed has one: see `validate`.
    found ?? URL(fileURLWithPath: "/nonexistent/\(Program.replicaFolderName)", isDirectory: true)
  }

  private var found: URL? {
    ReplicaDirectory.resolve(
      option: replica, environment: ProcessInfo.processInfo.environment,
      variable: Program.replicaVariable, folder: Program.replicaFolderName)
  }

  /// Refuses a command line without a folder, by a user without a home folder.
  public func validate() throws {
    guard found == nil else { return }
    throw ValidationError(
      Language.text(
        "This user has no home folder. Say with --replica, or \(Program.replicaVariable), which "
          + "folder holds the replica.",
        de: "Dieser Benutzer hat keinen Heimordner. Nenne mit --replica oder "
          + "\(Program.replicaVariable) den Ordner der Replik."
      ))
  }

  /// Opens the replica if there is one; nil if there is none. Never creates one.
  ///
  /// One on a disk that is full or may not be written is opened all the same: it can be looked at
  /// and exported, and a write says why it cannot be.
  public func openExisting() throws(ReplicaError) -> Replica? {
    guard Replica.exists(at: directory) else { return nil }
    let replica = try Replica(
      directory: directory, clock: SystemClock(), looking: true, connector: .patient)
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
    let replica = try Replica(directory: directory, connector: .patient)
    OpenReplicas.add(replica)
    return replica
  }
}
