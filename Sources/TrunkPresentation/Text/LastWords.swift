// SPDX-License-Identifier: Apache-2.0
// The last words about each sprout of a twig, in one pass over the waterings.

import AtrestReplication
import TrunkDomain

/// The last words about sprouts.
struct LastWords {
  private var notes: [RecordUUID: String] = [:]

  /// The words about some sprouts of a garden.
  init(of sprouts: [Sprout], in garden: Garden) {
    var wanted: Set<RecordUUID> = []
    for sprout in sprouts { wanted.insert(sprout.id) }
    // By time: a later note takes the place of an earlier one.
    for watering in garden.waterings where wanted.contains(watering.sprout) {
      if let note = watering.note, Self.shows(note) { notes[watering.sprout] = note }
    }
  }

  /// Those of the harvest, else of the latest watering that has some; empty for none.
  func about(_ sprout: Sprout) -> String {
    if let reflection = sprout.reflection, Self.shows(reflection) { return reflection }
    return notes[sprout.id] ?? ""
  }

  private static func shows(_ text: String) -> Bool { !ShownText.line(text, limit: 4).isEmpty }
}
