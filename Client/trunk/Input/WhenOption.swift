// SPDX-License-Identifier: Apache-2.0
// When something was done in the garden.

import ArgumentParser
import AtrestCompanion

/// When something was done.
struct WhenOption: ParsableArguments {
  @Option(help: ArgumentHelp("When; otherwise now.", valueName: "time")) var at: String?

  /// The time that was typed, else now.
  ///
  /// - Throws: `InputProblem`, also for a time that has not come.
  func time(_ context: CommandContext) throws(InputProblem) -> WallTime {
    guard let time = try context.time(at) else { return context.now }
    try TypedRules.check(time: time, now: context.now)
    return time
  }
}
