// SPDX-License-Identifier: Apache-2.0
// `atrest replica`: dumps stored records for tests and bug reports.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import Foundation

/// `atrest replica dump|digest`. Hidden from the help.
struct ReplicaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replica", abstract: "What is stored, for tests and bug reports.",
    shouldDisplay: false, subcommands: [Dump.self, Digest.self])

  /// Opens an existing replica; reading never creates one.
  private static func existing(_ options: ReplicaOptions) throws -> Replica {
    guard let replica = try options.openExisting() else {
      throw CommandFailure(
        "There is no replica in that folder. Check `--replica`, or write something first.")
    }
    return replica
  }

  struct Dump: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "dump",
      abstract: "Every record with the stamps of its fields, one a line, and the digest.",
      discussion: """
        Values are left out, so that the answer can go into a bug report; `--values` includes \
        them.

        EXAMPLES:
          atrest replica dump
          atrest replica dump --json --values
        """)

    @Flag(help: "Also the values, as hexadecimal digits. They say when you fasted and drank.")
    var values = false
    @OptionGroup var options: ReplicaOptions
    @Flag(help: "Write JSON, one object a line; the last holds the digest.") var json = false

    func run() throws {
      let replica = try ReplicaCommand.existing(options)
      let records = try replica.allRecords()
      let dumps = records.lazy.map { RecordDump($0, withValues: values) }
      for dump in dumps { Terminal.say(json ? try JSON.line(dump) : dump.text) }
      let row = DigestRow(digest: try replica.digest(), records: records.count)
      Terminal.say(json ? try JSON.line(row) : "digest \(row.digest) of \(row.records) records")
    }
  }

  struct Digest: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "digest", abstract: "A digest that is equal in replicas that hold the same.",
      discussion: """
        EXAMPLES:
          atrest replica digest
        """)

    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      let replica = try ReplicaCommand.existing(options)
      let digest = try replica.digest()
      try format.answer(
        DigestRow(digest: digest, records: try replica.allRecords().count), digest)
    }
  }
}
