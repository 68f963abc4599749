// SPDX-License-Identifier: Apache-2.0
// Options that planting, drafting and editing share.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// What a sprout is, in options.
struct SproutOptions: ParsableArguments {
  @Option(help: ArgumentHelp("What a harvest of 1 or 2 would look like.", valueName: "text"))
  var bloom1: String?
  @Option(help: ArgumentHelp("What a harvest of 3 or 4 would look like.", valueName: "text"))
  var bloom3: String?
  @Option(help: ArgumentHelp("What a harvest of 5 would look like.", valueName: "text"))
  var bloom5: String?
  @Option(
    help: ArgumentHelp(
      "The leaf that it belongs to: its id, or words of its name. `none` takes it off.",
      valueName: "leaf"))
  var leaf: String?

  /// Whether none was given.
  var isEmpty: Bool { bloom1 == nil && bloom3 == nil && bloom5 == nil && leaf == nil }

  /// Applies what was given to a sprout.
  func apply(to sprout: inout Sprout, in garden: Garden) throws {
    if let bloom1 { sprout.blooms.one = try GardenRules.bloom(bloom1) }
    if let bloom3 { sprout.blooms.three = try GardenRules.bloom(bloom3) }
    if let bloom5 { sprout.blooms.five = try GardenRules.bloom(bloom5) }
    guard let leaf else { return }
    if leaf.lowercased() == "none" {
      sprout.leaf = nil
      return
    }
    let found = try TypedGarden.leaf(leaf, in: garden.leaves)
    guard found.twig == sprout.twig else { throw GardenProblem.leafElsewhere(found.twig) }
    sprout.leaf = found.id
  }
}

/// A new sprout in options: where, how long, how hard.
struct PlanOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The twig, such as 3.5.", valueName: "twig")) var on: String?
  @Option(help: ArgumentHelp("2w, 1m, 3m, 6m or 1y; 1m if left out.", valueName: "season"))
  var season: String?
  @Option(
    help: ArgumentHelp(
      "fertile (easy to achieve), firm (a stretch) or barren (very hard); fertile if left out.",
      valueName: "ground"))
  var environment: String?

  /// A draft as it was typed. Checks everything that needs no garden.
  func draft(_ title: String, twig: String, at now: WallTime) throws -> Sprout {
    Sprout(
      id: RecordUUID.random(), title: try GardenRules.title(title),
      twig: try TypedGarden.twig(twig),
      plan: Sprout.Plan(
        try season.map { try TypedGarden.season($0) } ?? .oneMonth,
        try environment.map { try TypedGarden.environment($0) } ?? .fertile),
      created: now)
  }
}
