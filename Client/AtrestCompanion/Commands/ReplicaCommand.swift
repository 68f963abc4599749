// SPDX-License-Identifier: Apache-2.0
// `replica`: dumps stored records for tests and bug reports.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import Foundation

/// `replica dump|digest`: what is stored, for tests and bug reports. Hidden from the help.
public struct ReplicaCommand<Program: Companion>: ParsableCommand {
  /// The command without a subcommand.
  public init() {}

  /// Its name, help and subcommands.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "replica", abstract: "What is stored, for tests and bug reports.",
      shouldDisplay: false, subcommands: [Dump.self, Digest.self])
  }

  /// Opens an existing replica; reading never creates one.
  private static func existing(_ options: ReplicaOptions<Program>) throws -> Replica {
    guard let replica = try options.openExisting() else {
      throw CommandFailure(
        Language.text(
          "There is no replica in that folder. Check `--replica`, or write something first.",
          de: "In dem Ordner liegt keine Replik. Prüfe `--replica` oder schreibe zuerst etwas."))
    }
    return replica
  }

  struct Dump: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "dump",
        abstract: "Every record with the stamps of its fields, one a line, and the digest.",
        discussion: """
          Values are left out, so that the answer can go into a bug report; `--values` includes \
          them.

          EXAMPLES:
            \(Program.programName) replica dump
            \(Program.programName) replica dump --json --values
          """)
    }

    @Flag(help: "Also the values, as hexadecimal digits. They say \(Program.contents).")
    var values = false
    @OptionGroup var options: ReplicaOptions<Program>
    @Flag(help: "Write JSON, one object a line; the last holds the digest.") var json = false

    func run() throws {
      let replica = try ReplicaCommand.existing(options)
      let (words, records) = (Program.recordWords, try replica.allRecords())
      let dumps = records.lazy.map { RecordDump($0, words, withValues: values) }
      for dump in dumps { Terminal.say(json ? try JSON.line(dump) : dump.text) }
      let row = DigestRow(digest: try replica.digest(), records: records.count)
      Terminal.say(json ? try JSON.line(row) : "digest \(row.digest) of \(row.records) records")
    }
  }

  struct Digest: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "digest", abstract: "A digest that is equal in replicas that hold the same.",
        discussion: """
          EXAMPLES:
            \(Program.programName) replica digest
          """)
    }

    @OptionGroup var options: ReplicaOptions<Program>
    @OptionGroup var format: FormatOptions

    func run() throws {
      let replica = try ReplicaCommand.existing(options)
      let digest = try replica.digest()
      try format.answer(
        DigestRow(digest: digest, records: try replica.allRecords().count), digest)
    }
  }
}
