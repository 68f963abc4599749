// SPDX-License-Identifier: Apache-2.0
// What the garden shows: the tree, a branch or a twig, with what can be touched in its picture.

import AtrestDomain
import AtrestReplication
import AtrestSync
import TrunkDomain
import TrunkPresentation

extension WebCore {
  func garden(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let garden = try garden(in: work)
    let node = try node(argument) ?? .trunk
    let (now, zone) = (work.now, environment.zone)
    let width = try argument.side("width", or: 390)
    let height = try argument.side("height", or: 780)
    let records = work
    let canUndo = try told { () throws(ReplicaError) in
      try records.canUndo(of: RecordKind.ofGarden)
    }
    let meters = garden.meters(at: now, in: zone)
    var members: [JSON.Member] = []
    func add(_ name: String, _ value: JSON?) { members.append(JSON.Member(name, value)) }
    add("title", .text(title(of: node, in: garden)))
    let label = node == .trunk ? garden.name : garden.labels[node]?.label
    add("label", label.map { .text($0) })
    add("note", garden.labels[node]?.note.map { .text($0) })
    add("soil", .text("Soil \(PictureWords.soil(meters))"))
    add("left", .text("\(PictureWords.waterAndSun(meters)).".capitalised))
    add("canUndo", .bool(canUndo))
    let picture: MappedPicture
    switch node {
    case .trunk:
      picture = GardenPicture.mapped(garden, at: now, in: zone, width: width, height: height)
      add("growing", .array(garden.growing.map { line($0, now) }))
    case .branch(let branch):
      picture = BranchPicture.mapped(
        garden, branch: branch, at: now, in: zone, width: width, height: height)
      add("up", "garden")
    case .twig(let twig):
      picture = TwigPicture.mapped(garden, twig, at: now, in: zone, width: width, height: height)
      add("up", .text("garden/\(twig.branch + 1)"))
      add("twig", .text(twig.number))
      let rest = garden.sprouts(on: twig).filter { sprout in
        !picture.spots.contains { $0.subject == .sprout(sprout.id) }
      }
      add("rest", .array(rest.map { line($0, now) }))
    }
    add("svg", .text(picture.svg))
    add("width", .decimal(picture.width))
    add("height", .decimal(picture.height))
    add("spots", .array(picture.spots.map { spot($0) }))
    return .object(members)
  }

  private func title(of node: NodeID, in garden: Garden) -> String {
    guard case .trunk = node else { return PictureWords.title(of: node, in: garden).capitalised }
    return garden.name ?? GardenWord.garden.text
  }

  private func spot(_ spot: PictureSpot) -> JSON {
    let place =
      switch spot.subject {
      case .node(.trunk): "garden"
      case .node(.branch(let branch)): "garden/\(branch + 1)"
      case .node(.twig(let twig)): "garden/\(twig.number)"
      case .sprout(let id): "sprout/\(id.name)"
      }
    return .members(
      ("place", .text(place)), ("words", .text(spot.words.capitalised)),
      ("x", .decimal(spot.x)), ("y", .decimal(spot.y)), ("width", .decimal(spot.width)),
      ("height", .decimal(spot.height)))
  }

  private func line(_ sprout: Sprout, _ now: WallTime) -> JSON {
    .members(
      ("place", .text("sprout/\(sprout.id.name)")),
      ("title", .text(PictureWords.title(of: sprout))),
      ("words", .text(PictureWords.state(of: sprout, at: now, in: environment.zone))),
      ("progress", .decimal(sprout.progress(at: now))))
  }
}

extension String {
  /// With a capital at the beginning, if that is a letter of ASCII.
  var capitalised: String {
    guard let first = utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
      return self
    }
    return String(Unicode.Scalar(first - 0x20)) + dropFirst()
  }
}
