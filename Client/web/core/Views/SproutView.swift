// SPDX-License-Identifier: Apache-2.0
// What a sprout's page and the sheets about sprouts show.

import AtrestDomain
import AtrestReplication
import AtrestSync
import TrunkDomain
import TrunkPresentation

extension WebCore {
  func sprout(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let garden = try garden(in: work)
    let (now, zone) = (work.now, environment.zone)
    let sprout = try sprout(argument, in: garden)
    let label = PictureWords.label(of: .twig(sprout.twig), in: garden)
    let meters = garden.meters(at: now, in: zone)
    let isGrowing = sprout.state == .active
    let said = garden.waterings(of: sprout.id).reversed()
    let blooms: [(GardenWord, String?)] = [
      (.bloom1, sprout.blooms.one), (.bloom3, sprout.blooms.three), (.bloom5, sprout.blooms.five),
    ]
    return .members(
      ("id", .text(sprout.id.name)), ("state", .text(state(of: sprout))),
      ("title", .text(PictureWords.title(of: sprout))),
      ("svg", .text(SproutPicture.svg(sprout, at: now, side: 160))),
      ("place", .text("garden/\(sprout.twig.number)")),
      ("where", .text(label.map { "\(sprout.twig.number) \($0)" } ?? "Twig \(sprout.twig.number)")),
      ("plan", .text("\(sprout.plantedPlan.label), \(price(sprout.plantedPlan))")),
      ("words", .text(PictureWords.state(of: sprout, at: now, in: zone).capitalised)),
      ("progress", isGrowing ? .decimal(sprout.progress(at: now)) : nil),
      ("leaf", garden.leaf(of: sprout).map { .text($0.name) }),
      (
        "blooms",
        .array(
          blooms.compactMap { word, text in
            text.map { .members(("words", .text(word.text)), ("text", .text($0))) }
          })
      ), ("reflection", sprout.reflection.map { .text($0) }),
      ("left", .text("\(PictureWords.waterAndSun(meters)).".capitalised)),
      (
        "said",
        .array(
          said.map { watering in
            .members(
              ("when", .text(TimeText.near(watering.at, now: now, in: zone))),
              ("note", watering.note.map { .text($0) }))
          })
      ), ("results", isGrowing ? .array(results(of: sprout, in: garden)) : nil))
  }

  /// What the sheet of a sprout offers: for a new one on a `twig`, or one by its `id`.
  func plan(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let garden = try garden(in: work)
    let meters = garden.meters(at: work.now, in: environment.zone)
    let sprout =
      try argument.id("id") == nil ? nil : try self.sprout(argument, in: garden)
    let told = try twig(argument)
    let twig = try argument.required(sprout?.twig ?? told)
    // As the commands have it: a month in fertile ground.
    let plan = sprout?.plantedPlan ?? Sprout.Plan(.oneMonth, .fertile)
    return .members(
      ("twig", .text(twig.number)), ("soil", .text("Soil \(PictureWords.soil(meters)).")),
      ("state", sprout.map { .text(state(of: $0)) }), ("title", .text(sprout?.title ?? "")),
      ("season", .text(plan.season.code)), ("environment", .text(plan.environment.code)),
      ("bloom1", sprout?.blooms.one.map { .text($0) }),
      ("bloom3", sprout?.blooms.three.map { .text($0) }),
      ("bloom5", sprout?.blooms.five.map { .text($0) }),
      ("reflection", sprout?.reflection.map { .text($0) }),
      ("leaf", sprout.flatMap { garden.leaf(of: $0) }.map { .text($0.name) }),
      ("leaves", .array(garden.leaves.filter { $0.twig == twig }.map { .text($0.name) })),
      (
        "seasons",
        .array(
          Season.allCases.map { season in
            .members(
              ("value", .text(season.code)), ("words", .text(season.label)),
              (
                "prices",
                .array(
                  Environment.allCases.map { .text(price(Sprout.Plan(season, $0))) })
              ))
          })
      ),
      (
        "grounds",
        .array(
          Environment.allCases.map {
            .members(
              ("value", .text($0.code)), ("words", .text($0.code.capitalised)),
              ("meaning", .text($0.meaning)))
          })
      ))
  }

  private func results(of sprout: Sprout, in garden: Garden) -> [JSON] {
    HarvestResult.allCases.map { result in
      .members(
        ("value", .integer(result.rawValue)), ("words", .text(result.label.capitalised)),
        ("bloom", sprout.blooms.text(for: result).map { .text($0) }),
        ("reward", .text("\(garden.reward(of: sprout, result).text) more room for soil")))
    }
  }

  private func price(_ plan: Sprout.Plan) -> String { "\(plan.cost.shortText) soil" }

  private func state(of sprout: Sprout) -> String {
    switch sprout.state {
    case .draft: "draft"
    case .active: "active"
    case .completed: "completed"
    case .failed: "failed"
    }
  }
}
