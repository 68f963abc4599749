// SPDX-License-Identifier: Apache-2.0
// Vigil's 29 texts, word for word, for comparison with the catalogue.

import AtrestDomain

/// Vigil's texts, typed independently: an error in the catalogue differs from these.
enum VigilTexts {
  static let idle: [(text: String, citation: String)] = [
    ("The earth is full of your steadfast love.", "Psalm 119"),
    ("Morning by morning, new mercies.", "Lamentations 3"),
    ("The heavens declare.", "Psalm 19"),
    ("He leads me beside still waters.", "Psalm 23"),
    ("In him all things hold together.", "Colossians 1"),
    ("Great is your faithfulness.", "Lamentations 3"),
    ("Your hands have made and fashioned me.", "Psalm 119"),
    ("Even the darkness is not dark to you.", "Psalm 139"),
    ("In returning and rest you shall be saved.", "Isaiah 30"),
    ("Consider the birds of the air.", "Matthew 6"),
  ]

  static let arrival: [(text: String, citation: String)] = [
    ("In every season, it yields its fruit.", "Revelation 22"),
    ("What was begun in you is being carried to completion.", "Philippians 1"),
    ("To everything, a season.", "Ecclesiastes 3"),
    ("The Lord bless you, and keep you.", "Numbers 6"),
    ("You prepare a table before me.", "Psalm 23"),
  ]

  static let milestones:
    [(milestone: Milestone, companion: String, text: String, citation: String)] = [
      (
        .digestionCompleting, "For now, it is simply a choice — a quiet setting-apart of hours.",
        "This is the day.", "Psalm 118"
      ),
      (
        .beginningToShift, "What was received is now being tended — drawn from gently.",
        "I shall not want.", "Psalm 23"
      ),
      (
        .metabolicTransition,
        "This is often where choosing to remain becomes its own quiet practice.",
        "When you pass through, I will be with you.", "Isaiah 43"
      ),
      (
        .deeperRhythm, "Not only the body finds a rhythm — something quieter settles alongside it.",
        "Be still, and know.", "Psalm 46"
      ),
      (
        .extendedFast,
        "For thousands of years, fasting this long has been understood as a way of making room.",
        "Not by bread alone.", "Matthew 4"
      ),
      (
        .prolongedFast,
        "Be attentive to how you feel — and to what else surfaces in the stillness.",
        "Search me, and know my heart.", "Psalm 139"
      ),
    ]

  static let fastStart = "You have set this time apart."
  static let forest = (text: "Consider how they grow.", citation: "Luke 12")
  static let title = "Vigil"
  static let explanation =
    "Adds Scripture and reflective language throughout your fasting experience."
}
