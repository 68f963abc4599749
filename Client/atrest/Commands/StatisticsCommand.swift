// SPDX-License-Identifier: Apache-2.0
// `atrest statistics`: counts and sums of the fasts that the history shows.

import ArgumentParser
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import Foundation

/// `atrest statistics`.
struct StatisticsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "statistics",
    abstract: "How many fasts there were, and how long, by month and by target.",
    discussion: """
      Counts what `atrest history` shows. A fast belongs to the month in which it ended.

      EXAMPLES:
        atrest statistics
        atrest statistics --months 24 --json
      """)

  @Option(help: ArgumentHelp("At most so many months, latest first.", valueName: "count"))
  var months = 12
  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  func validate() throws {
    guard (1...1_000_000).contains(months) else {
      throw ValidationError("`--months` needs a number from 1 to 1000000.")
    }
  }

  func run() throws {
    let context = CommandContext.current()
    let replica = try options.openExisting()
    let statistics = FastStatistics(
      try replica?.entries(newest: .max) ?? [], in: context.zone)
    try format.answer(
      StatisticsRow(statistics, months: months),
      StatisticsView.text(statistics, months: months, context, Terminal.style, Terminal.readColumns)
    )
  }
}
