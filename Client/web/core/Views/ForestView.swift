// SPDX-License-Identifier: Apache-2.0
// What the forest shows, and one of its trees.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import AtrestSync

extension WebCore {
  func forest(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let zone = environment.zone
    let entitlement = try entitlement(in: records)
    let canvas = ForestCanvas(
      width: try argument.side("width", or: 390),
      screenHeight: try argument.side("screenHeight", or: 844))
    let fasts = try history(in: records)
    let layout = ForestLayout(
      trees: ForestPolicy.trees(of: fasts, for: entitlement), canvas: canvas)
    let opened =
      switch ForestPicture.opened(layout) {
      case .screen(let scrolled): scrolled
      case .whole, .wallpaper: 0.0
      }
    let settings = try settings(of: records)
    let isWanted = try !argument.flag("withoutPicture") && !layout.isEmpty
    return .members(
      ("isOpen", .bool(FeatureGate.forest.isOpen(for: entitlement))),
      ("title", .text(Word.navForest.text)), ("back", .text(Word.forestBack.text)),
      ("empty", .text(Word.forestEmpty.text)), ("width", .decimal(layout.width)),
      ("height", .decimal(layout.height)), ("starSpeed", .decimal(ForestCanvas.starSpeed)),
      ("opened", .decimal(min(max(opened, 0), max(0, layout.height - canvas.screenHeight)))),
      ("svg", isWanted ? .text(ForestPicture.svg(layout, in: zone)) : nil),
      ("vigil", scripture(Vigil(settings).forest(layout))),
      (
        "trees",
        .array(
          layout.trees.map { placed in
            .members(
              ("id", .text(placed.id.uuidString.lowercased())), ("x", .decimal(placed.x)),
              ("y", .decimal(placed.y)), ("size", .decimal(placed.size)),
              ("depth", .count(placed.depth.rawValue)),
              ("species", .count(placed.tree.character.variant)),
              ("state", placed.tree.state == .established ? "established" : "incomplete"),
              (
                "day",
                .text(
                  LocalDay(placed.tree.session.span.end ?? placed.tree.session.span.start, in: zone)
                    .iso)
              ), ("words", .text(placed.tree.words(in: zone))))
          })
      ))
  }

  func tree(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let zone = environment.zone
    let session = try session(argument.required(argument.id("id")), in: records)
    let width = try argument.side("width", or: 390)
    let height = try argument.side("height", or: 390)
    let svg = TreeMapper.trees(for: [session]).first.map { tree in
      TreePicture.svg(tree, in: zone, width: width, height: height)
    }
    let lines =
      CalendarEntry(session).map { MonthGrid.detail(of: $0, in: zone) }
      ?? (session.span.end == nil ? [] : [Self.leftOut])
    return .members(
      ("fast", fast(session, at: work.now)), ("svg", svg.map { .text($0) }),
      ("lines", .array(lines.map { .text($0) })))
  }
}
