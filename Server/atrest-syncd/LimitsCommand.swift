// SPDX-License-Identifier: Apache-2.0
// Shows the limits that `serve --limit` can change.

import ArgumentParser
import AtrestCommandLine
import AtrestServer
import Foundation

struct LimitOptions: ParsableArguments {
  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp(
      "Change a limit; may be repeated. `atrest-syncd limits` lists them.", valueName: "name=value")
  )
  var assignments: [String] = []

  /// The number of shards on this machine: one per processor, at most eight.
  static var shardCount: Int { min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 8) }

  /// The effective limits.
  /// - Throws: The error of an invalid assignment or of inconsistent limits.
  func limits() throws -> ServerLimits {
    var limits = ServerLimits()
    do throws(LimitError) {
      for assignment in assignments {
        try limits.set(assignment)
        let name = String(assignment.prefix { $0 != "=" })
        let current = ServerLimits.currentName(of: name)
        if current != name { printError("The limit \(name) is called \(current) now.\n") }
      }
      try limits.check(shards: Self.shardCount)
    } catch {
      throw CommandFailure(error.userMessage, .usage)
    }
    return limits
  }
}

struct LimitsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits", abstract: "List what the server bounds, and what can be changed.",
    discussion: """
      Values are those that a server has unless told otherwise; with --limit, those it would have. Bytes may be written with KiB, MiB \
      or GiB, times with ms, s, m or h; a time without one is in seconds.
      """)

  @OptionGroup var options: LimitOptions
  @OptionGroup var format: FormatOptions

  func run() async throws {
    try await reported {
      let limits = try options.limits()
      printLine(try format.isJSON ? Text.json(limits) : Text.table(limits))
    }
  }
}
