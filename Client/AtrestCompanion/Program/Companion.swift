// SPDX-License-Identifier: Apache-2.0
// What a program for the terminal says of itself, so that what programs share speaks in its name.

import ArgumentParser
import AtrestCommandLine

/// The root command of a program for people at a terminal, with a replica of its own or one that it
/// shares with another program.
///
/// Shared commands are generic: `SyncCommand<Garden>` is `sync` of the program `Garden`, and its
/// help, answers and errors name the commands of that program.
public protocol Companion: ParsableCommand {
  /// What people type to run it, such as `atrest`. Sentences quote it before the names of commands.
  static var programName: String { get }

  /// The environment variable that names the replica's folder, such as `ATREST_REPLICA`. By default
  /// the program's name in capitals before `_REPLICA`.
  static var replicaVariable: String { get }

  /// The name of the replica's folder among the data of the person's programs. Programs with one
  /// name share one replica, and so one device of the account. By default the program's name.
  static var replicaFolderName: String { get }

  /// The options, such as `--days`, whose values are whole numbers. A negative one after them is a
  /// value, and the command says what it needs instead. By default none.
  static var countOptions: Set<String> { get }

  /// The failure that an error of the program's own stands for; nil for any other error, which is
  /// then explained as in every program. By default nil.
  static func ownFailure(of error: any Error) -> CommandFailure?
}

extension Companion {
  /// The program's name in capitals before `_REPLICA`.
  public static var replicaVariable: String { programName.uppercased() + "_REPLICA" }

  /// The program's name.
  public static var replicaFolderName: String { programName }

  /// None.
  public static var countOptions: Set<String> { [] }

  /// No error is the program's own.
  public static func ownFailure(of error: any Error) -> CommandFailure? { nil }
}
