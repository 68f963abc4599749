// SPDX-License-Identifier: Apache-2.0
// What pictures say: counts, states and meters in a few words.

import AtrestDomain
import AtrestReplication
import TrunkDomain

/// The words of the pictures.
public enum PictureWords {
  /// `2 growing, 1 harvested`; `nothing yet` for an empty one.
  public static func counts(_ counts: SproutCounts) -> String {
    var parts: [String] = []
    if counts.growing > 0 { parts.append("\(counts.growing) growing") }
    if counts.harvested > 0 { parts.append("\(counts.harvested) harvested") }
    if counts.drafts > 0 {
      parts.append(counts.drafts == 1 ? "1 draft" : "\(counts.drafts) drafts")
    }
    if counts.uprooted > 0 { parts.append("\(counts.uprooted) uprooted") }
    return parts.isEmpty ? "nothing yet" : parts.joined(separator: ", ")
  }

  /// The label of a node within a limit, else its plain name.
  public static func title(of node: NodeID, in garden: Garden, limit: Int = 60) -> String {
    label(of: node, in: garden, limit: limit) ?? node.plainName
  }

  /// The label of a node within a limit; nil if it has none that shows.
  public static func label(of node: NodeID, in garden: Garden, limit: Int = 60) -> String? {
    guard let label = garden.labels[node]?.label else { return nil }
    let shown = ShownText.line(label, limit: limit)
    return shown.isEmpty ? nil : shown
  }

  /// A sprout's title within a limit.
  public static func title(of sprout: Sprout, limit: Int = 60) -> String {
    ownTitle(of: sprout, limit: limit) ?? "without a title"
  }

  /// A sprout's title within a limit; nil if it has none that shows.
  public static func ownTitle(of sprout: Sprout, limit: Int = 60) -> String? {
    let shown = ShownText.line(sprout.title, limit: limit)
    return shown.isEmpty ? nil : shown
  }

  /// The state: `growing, 45 %, until 3 Aug 2026`.
  public static func state(of sprout: Sprout, at now: WallTime, in zone: ZoneOffsets) -> String {
    func day(_ time: WallTime) -> String { TimeText.day(LocalDay(time, in: zone)) }
    switch sprout.state {
    case .draft: return "a draft"
    case .active:
      let percent = Int((sprout.progress(at: now) * 100).rounded(.down))
      guard let due = sprout.due else { return "growing, \(percent) %" }
      return percent < 100
        ? "growing, \(percent) %, until \(day(due))" : "ripe since \(day(due))"
    case .completed(let result):
      let when = sprout.ended.map { " on \(day($0))" } ?? ""
      return "harvested\(when), \(result.label) (\(result.rawValue) of 5)"
    case .failed:
      return "uprooted" + (sprout.ended.map { " on \(day($0))" } ?? "")
    }
  }

  /// The soil: `7.35 of 10`, with a minus sign below zero.
  public static func soil(_ meters: Meters) -> String {
    "\(signed(meters.soil)) of \(meters.capacity.shortText)"
  }

  /// An amount with a minus sign rather than a hyphen.
  private static func signed(_ soil: Soil) -> String {
    let text = soil.shortText
    return text.first == "-" ? "\u{2212}" + text.dropFirst() : text
  }

  /// Water and sun: `2 waterings left today, the sun has shone this week`.
  public static func waterAndSun(_ meters: Meters) -> String {
    let water =
      meters.water == 0
      ? "no watering left today"
      : meters.water == 1 ? "1 watering left today" : "\(meters.water) waterings left today"
    return water + (meters.sun > 0 ? ", the sun can shine" : ", the sun has shone this week")
  }
}
