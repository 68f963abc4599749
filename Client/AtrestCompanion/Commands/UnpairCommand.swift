// SPDX-License-Identifier: Apache-2.0
// `unpair`: leaves an account.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestSync

/// `unpair`: leaves the account, and keeps what was written.
public struct UnpairCommand<Program: Companion>: ParsableCommand {
  /// Its name and help.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "unpair", abstract: "Leave the account. Everything you wrote stays here.",
      discussion: """
        For a device whose access was ended, or that moves to another server: afterwards `\(Program.programName) pair` \
        connects it anew, and offers everything it holds there.

        EXAMPLES:
          \(Program.programName) unpair
        """)
  }

  @OptionGroup var options: ReplicaOptions<Program>
  @OptionGroup var format: FormatOptions

  /// The command without options.
  public init() {}

  /// Who left, for `--json`.
  private struct Row: Encodable {
    var account: String
  }

  /// Leaves the account of the replica.
  ///
  /// - Throws: `SyncError.notPaired`, `ReplicaError`.
  public func run() throws {
    guard let replica = try options.openExisting(), let account = try replica.status().account
    else { throw SyncError.notPaired }
    try replica.unpair()
    try format.answer(
      Row(account: account),
      Language.text(
        "This device left the account “\(account.escapedForTerminal)”. Everything you wrote stays "
          + "here; `\(Program.programName) pair LINK` connects it again.",
        de:
          "Dieses Gerät hat das Konto „\(account.escapedForTerminal)“ verlassen. Was du geschrieben "
          + "hast, bleibt hier; `\(Program.programName) pair LINK` verbindet es wieder."))
  }
}
