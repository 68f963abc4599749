// SPDX-License-Identifier: Apache-2.0
// What a program for the terminal says of itself, so that what programs share speaks in its name.

import ArgumentParser
import AtrestCommandLine
import AtrestReplication

/// The root command of a program for people at a terminal, with a replica of its own or one that it
/// shares with another program.
///
/// Shared commands are generic: `SyncCommand<Garden>` is `sync` of the program `Garden`, and its
/// help, answers and errors name the commands of that program. They name each other, so a program
/// has all of them; and `status`, which it writes itself, with ``SyncStatus`` in it.
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

  /// What names records, fields and values of the kinds that the program may find in an account. Of
  /// two that have a kind the first one names its records. By default the words for the kinds that
  /// come with the library.
  static var vocabularies: [any KindVocabulary] { get }

  /// What somebody learns who reads a person's records, such as `when you fasted and drank`: it
  /// follows a verb. By default `what you wrote`.
  static var contents: String { get }

  /// The command, such as `water`, whose `edit` and `delete` correct a record that the server
  /// refused; nil if there is none for the kind. By default nil.
  static func correctingCommand(for kind: RecordKind) -> String?

  /// Whether `conflicts` also dismisses entries. By default it does.
  static var dismissesConflicts: Bool { get }

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

  /// The words for the kinds that come with the library.
  public static var vocabularies: [any KindVocabulary] { [AtrestVocabulary()] }

  /// `what you wrote`
  public static var contents: String {
    Language.text("what you wrote", de: "was du geschrieben hast")
  }

  /// None.
  public static func correctingCommand(for kind: RecordKind) -> String? { nil }

  /// It does.
  public static var dismissesConflicts: Bool { true }

  /// No error is the program's own.
  public static func ownFailure(of error: any Error) -> CommandFailure? { nil }
}

extension Companion {
  /// The words of its vocabularies. Makes a table of them: keep it for many records.
  public static var recordWords: RecordWords { RecordWords(vocabularies) }
}
