// SPDX-License-Identifier: Apache-2.0
// The words of waterings, shinings and ends of sprouts, latest first.

import AtrestDomain
import AtrestReplication
import AtrestSync
import TrunkDomain
import TrunkPresentation

extension WebCore {
  func journal(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let garden = try garden(in: work)
    let skip = Int(try argument.number("skip", 0...1_000_000) ?? 0)
    let limit = Int(try argument.number("limit", 1...1000) ?? 50)
    let entries = entries(of: garden)
    let shown = entries.dropFirst(skip).prefix(limit)
    let next = skip + shown.count
    return .members(
      (
        "entries",
        .array(
          shown.map { entry in
            .members(
              ("when", .text(TimeText.near(entry.at, now: work.now, in: environment.zone))),
              ("line", .text(entry.line)), ("note", entry.note.map { .text($0) }),
              ("place", entry.place.map { .text($0) }))
          })
      ), ("next", next < entries.count ? .count(next) : nil),
      ("empty", "There are no words yet. Watering and the sun write some."))
  }

  private struct Entry {
    let at: WallTime
    let id: RecordUUID
    let line: String
    let note: String?
    let place: String?
  }

  private func entries(of garden: Garden) -> [Entry] {
    var places: [RecordUUID: Int] = [:]
    for (place, sprout) in garden.sprouts.enumerated() { places[sprout.id] = place }
    var entries: [Entry] = []
    for watering in garden.waterings {
      let sprout = places[watering.sprout].map { garden.sprouts[$0] }
      let title = sprout.map { quoted($0) } ?? "a sprout that is not here"
      entries.append(
        Entry(
          at: watering.at, id: watering.id, line: "Watered \(title)", note: watering.note,
          place: sprout.map { "sprout/\($0.id.name)" }))
    }
    for sprout in garden.sprouts {
      guard let ended = sprout.ended else { continue }
      let line =
        sprout.outcome?.result.map { "Harvested \(quoted(sprout)), \($0.rawValue) of 5" }
        ?? "Uprooted \(quoted(sprout))"
      entries.append(
        Entry(
          at: ended, id: sprout.id, line: line, note: sprout.reflection,
          place: "sprout/\(sprout.id.name)"))
    }
    for shining in garden.shinings {
      entries.append(
        Entry(
          at: shining.at, id: shining.id,
          line: "The sun shone on \(named(shining.twig, in: garden))", note: shining.note,
          place: "garden/\(shining.twig.number)"))
    }
    return entries.ordered { $0.at == $1.at ? $0.id < $1.id : $0.at > $1.at }
  }

  /// A sprout's title in quotes; without one, that it has none.
  func quoted(_ sprout: Sprout) -> String {
    PictureWords.ownTitle(of: sprout).map { "\u{201C}\($0)\u{201D}" }
      ?? "a sprout \(PictureWords.title(of: sprout))"
  }

  /// A twig by its number, and its label if it has one.
  func named(_ twig: Twig, in garden: Garden) -> String {
    let node = NodeID.twig(twig)
    let label = PictureWords.label(of: node, in: garden)
    return label.map { "\(node.plainName), \u{201C}\($0)\u{201D}" } ?? node.plainName
  }
}
