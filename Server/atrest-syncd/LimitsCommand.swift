// SPDX-License-Identifier: Apache-2.0
// Shows the limits that `serve --limit` can change.

import ArgumentParser
import AtrestServer
import Foundation

/// The option that changes limits.
struct LimitOptions: ParsableArguments {
  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp(
      "Change a limit; may be repeated. `atrest-syncd limits` lists them.", valueName: "name=value")
  )
  var assignments: [String] = []

  /// The limits in force.
  /// - Throws: What is wrong with an assignment.
  func limits() throws -> ServerLimits {
    var limits = ServerLimits()
    for assignment in assignments {
      do throws(LimitError) { try limits.set(assignment) } catch {
        throw Failure(error.userMessage, .usage)
      }
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
