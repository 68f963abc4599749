// SPDX-License-Identifier: Apache-2.0
// When something was done in the garden.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

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

  /// Refuses a typed time before a sprout was planted. Not the time of the clock: that of another
  /// device may be ahead.
  func check(_ time: WallTime, after planting: Sprout.Planting?) throws(GardenProblem) {
    // A typed time has no seconds.
    guard at != nil, let planting, time.milliseconds < planting.at.milliseconds / 60_000 * 60_000
    else { return }
    throw .beforePlanting
  }
}
