// SPDX-License-Identifier: Apache-2.0
// The last words about each sprout of a twig, in one pass over the waterings.

import AtrestReplication
import TrunkDomain

/// The last words about sprouts.
struct LastWords {
  private let waterings: [Watering]
  /// The place of the latest watering with words; -1 for none.
  private var latest: [RecordUUID: Int] = [:]

  /// The words about some sprouts of a garden.
  init(of sprouts: [Sprout], in garden: Garden) {
    waterings = garden.waterings
    for sprout in sprouts { latest[sprout.id] = -1 }
    for (place, watering) in waterings.enumerated() {
      guard let known = latest[watering.sprout], let note = watering.note, Self.shows(note) else {
        continue
      }
      if known < 0 || (waterings[known].at, waterings[known].id) < (watering.at, watering.id) {
        latest[watering.sprout] = place
      }
    }
  }

  /// Those of the harvest, else of the latest watering that has some; empty for none.
  func about(_ sprout: Sprout) -> String {
    if let reflection = sprout.reflection, Self.shows(reflection) { return reflection }
    guard let place = latest[sprout.id], place >= 0 else { return "" }
    return waterings[place].note ?? ""
  }

  private static func shows(_ text: String) -> Bool { !ShownText.line(text, limit: 4).isEmpty }
}
