// SPDX-License-Identifier: Apache-2.0
// The words of the garden's screens.

/// A text of the garden's screens. The raw values are the shell's names for them.
enum GardenWord: String, CaseIterable {
  // Ways and headings.
  case garden, timer, back, journal, growing
  case nothingGrows
  // Buttons.
  case plant, water, shine, harvest, uproot, edit, name, delete, undo, keep, draft, cancel
  case earlier, uprootSure, deleteSure
  // The sprout's sheet.
  case newSprout, editSprout, goal, season, ground, blooms, bloom1, bloom3, bloom5, leaf, twig
  // The other sheets.
  case waterWords, shineTitle, shineWords, harvestTitle, harvestWords, label, note, nodeTitle
  case uprootHint

  var text: String {
    switch self {
    case .garden: "Garden"
    case .timer: "Timer"
    case .back: "Back"
    case .journal: "Journal"
    case .growing: "Growing"
    case .nothingGrows: "Nothing grows yet. Choose a branch, then a twig, and plant a goal there."
    case .plant: "Plant"
    case .water: "Water"
    case .shine: "Sun"
    case .harvest: "Harvest"
    case .uproot: "Uproot"
    case .edit: "Edit"
    case .name: "Name"
    case .delete: "Delete"
    case .undo: "Undo"
    case .keep: "Keep"
    case .draft: "Keep as a draft"
    case .cancel: "Cancel"
    case .earlier: "Earlier"
    case .uprootSure: "Uproot it for good"
    case .deleteSure: "Delete it for good"
    case .newSprout: "A new sprout"
    case .editSprout: "This sprout"
    case .goal: "What is the goal?"
    case .season: "How long is its season?"
    case .ground: "What is the ground like?"
    case .blooms: "What would a harvest look like?"
    case .bloom1: "With a result of 1 or 2"
    case .bloom3: "With a result of 3 or 4"
    case .bloom5: "With a result of 5"
    case .leaf: "The leaf that it belongs to"
    case .twig: "Twig"
    case .waterWords: "A few words?"
    case .shineTitle: "Let the sun shine"
    case .shineWords: "How was its week?"
    case .harvestTitle: "How did it go?"
    case .harvestWords: "Words about it?"
    case .label: "What is it called?"
    case .note: "A note"
    case .nodeTitle: "Name"
    case .uprootHint: "A quarter of its soil comes back."
    }
  }

  /// All of them by name.
  static var all: JSON {
    .object(allCases.map { JSON.Member($0.rawValue, .text($0.text)) })
  }
}
