// SPDX-License-Identifier: Apache-2.0
// The pictures of a garden: equal bytes, one mark for each state, bounded, and safe from words.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import Testing
import TrunkDomain
import TrunkPresentation

@Suite("The pictures of a garden", .timeLimit(.minutes(20)))
struct PictureTests {
  /// All three pictures in two widths.
  private func pictures(_ garden: Garden) -> [String] {
    [390.0, 1440].flatMap { width in
      [
        GardenPicture.svg(garden, at: noon, in: .utc, width: width, height: width * 1.5),
        BranchPicture.svg(garden, branch: 2, at: noon, in: .utc, width: width),
        TwigPicture.svg(garden, Twig.all[20], at: noon, in: .utc, width: width),
      ]
    }
  }

  private func uses(_ form: String, in picture: String) -> Int {
    picture.components(of: "href=\"#\(form)\"")
  }

  @Test("equal gardens give equal bytes, in whatever order their records came")
  func deterministic() {
    let garden = fullGarden(300)
    let shuffled = Garden(
      sprouts: garden.sprouts.reversed(), waterings: garden.waterings.reversed(),
      leaves: garden.leaves, labels: garden.labels.values.reversed(),
      settings: [GardenSetting(id: .gardenName, value: garden.name ?? "")])
    #expect(pictures(garden) == pictures(shuffled))
    #expect(pictures(garden) == pictures(garden))
  }

  @Test("a full tree of 2,000 sprouts stays below 200 kB, whatever its words")
  func bounded() {
    let family = "👨‍👩‍👧‍👦"
    let pile = "e" + String(repeating: "\u{301}", count: 2000)
    for words in ["Words", String(repeating: family, count: 60), String(repeating: pile, count: 6)]
    {
      let garden = fullGarden(words: words)
      for picture in pictures(garden) {
        #expect(picture.utf8.count <= 200_000)
      }
    }
  }

  @Test("every word can be read in the sky, on paper and before the sun")
  func contrast() throws {
    let sky = [0xDCE8E6, 0xEEF1E6, 0xF8F2E2, 0xF9DD9B, 0xF2BE5C].map { RGB(hex: $0) }
    for picture in pictures(fullGarden(300)) + pictures(Garden()) {
      let words = picture.matches(of: /<text[^>]* fill="#([0-9A-F]{6})"/)
      try #require(!words.isEmpty)
      for colour in try words.map({ try #require(UInt32($0.1, radix: 16)) }) {
        #expect(sky.allSatisfy { Contrast.ratio(RGB(hex: colour), $0) >= Contrast.text })
      }
    }
  }

  @Test("every state has its mark, each result its blossom")
  func marks() {
    let twig = Twig.all[20]
    var sprouts = [
      sprout(1, planted: nil), sprout(2, planted: 10), sprout(3, planted: 40),
      sprout(4, planted: 40, ended: 5),
    ]
    for (index, result) in HarvestResult.allCases.enumerated() {
      sprouts.append(
        sprout(UInt64(10 + index), on: Twig.all[index], planted: 40, ended: 5, result))
    }
    let garden = Garden(sprouts: sprouts)
    let whole = GardenPicture.svg(garden, at: noon, in: .utc)
    for picture in [whole, TwigPicture.svg(garden, twig, at: noon, in: .utc)] {
      #expect(uses("bud", in: picture) == 1)
      #expect(uses("ripe", in: picture) == 1)
      #expect((0...2).map { uses("leaf-\($0)", in: picture) }.reduce(0, +) == 1)
      #expect(uses("scar", in: picture) == 1)
    }
    for result in HarvestResult.allCases {
      #expect(uses("blossom-\(result.rawValue)", in: whole) == 1)
    }
    #expect(uses("fallen", in: whole) == 1, "a leaf on the ground")
    let bare = GardenPicture.svg(Garden(), at: noon, in: .utc)
    for form in ["bud", "ripe", "leaf-0", "leaf-1", "leaf-2", "scar", "fallen", "blossom-3"] {
      #expect(uses(form, in: bare) == 0)
    }
  }

  @Test("no state is missing where there is no room for all")
  func crowded() {
    var sprouts = (0..<40).map { sprout(UInt64($0), planted: 10) }
    sprouts.append(sprout(100, planted: nil))
    sprouts.append(sprout(101, planted: 40, ended: 5))
    sprouts.append(sprout(102, planted: 40, ended: 5, .good))
    let picture = GardenPicture.svg(Garden(sprouts: sprouts), at: noon, in: .utc)
    #expect(uses("bud", in: picture) == 1 && uses("scar", in: picture) == 1)
    #expect(uses("blossom-3", in: picture) == 1)
    #expect((0...2).map { uses("leaf-\($0)", in: picture) }.reduce(0, +) == 3)
    #expect(picture.contains("40 growing, 1 harvested, 1 draft, 1 uprooted</title>"))
  }

  @Test("a leaf grows with its progress")
  func growth() {
    func size(_ planted: Double) -> Double {
      let garden = Garden(sprouts: [
        sprout(1, "A goal", on: Twig.all[20], .oneYear, planted: planted)
      ])
      let picture = TwigPicture.svg(garden, Twig.all[20], at: noon, in: .utc)
      guard let use = picture.range(after: "href=\"#leaf-", until: ")") else { return 0 }
      let parts = use.drop { $0 != "(" }.dropFirst().split(separator: " ").compactMap { Double($0) }
      return parts.count > 1 ? parts[0] * parts[0] + parts[1] * parts[1] : 0
    }
    #expect(size(1) > 0 && size(1) < size(150) && size(150) < size(350))
  }

  @Test("the soil is as full as it is, and dry below zero")
  func soil() {
    let empty = GardenPicture.svg(Garden(), at: noon, in: .utc)
    #expect(empty.contains(">Soil 10 of 10</text>") && empty.contains("fill=\"url(#earth)\""))
    let poor = Garden(sprouts: (0..<4).map { sprout(UInt64($0)) })
    let picture = GardenPicture.svg(poor, at: noon, in: .utc)
    #expect(picture.contains(">Soil \u{2212}10 of 10</text>"))
    #expect(!picture.contains("fill=\"url(#earth)\"") && picture.contains("#8E5C42"))
    #expect(!empty.contains("#8E5C42"))
  }

  @Test("a drop for each watering left, and the sun until it has shone")
  func meters() {
    func picture(_ waterings: Int, shone: Bool) -> String {
      let garden = Garden(
        sprouts: [sprout(1)],
        waterings: (0..<waterings).map {
          Watering(
            id: .numbered(UInt64(90 + $0)), sprout: .numbered(1), at: ago(0),
            day: GardenDay(noon, in: .utc), note: nil)
        },
        shinings: shone
          ? [
            Shining(
              id: .numbered(80), twig: Twig.all[0], at: ago(0), week: GardenWeek(noon, in: .utc),
              note: nil)
          ] : [])
      return GardenPicture.svg(garden, at: noon, in: .utc)
    }
    for count in 0...3 {
      let filled = picture(count, shone: false).components(of: "fill=\"#5E93AD\"")
      #expect(filled == 3 - count)
    }
    #expect(picture(0, shone: false).contains("url(#shine)"))
    #expect(!picture(0, shone: true).contains("url(#shine)"))
  }

  @Test("says what it shows to screen readers, and has the labels that people gave")
  func words() {
    let garden = Garden(
      sprouts: [sprout(1, "Run & jump")],
      labels: [
        NodeLabel(id: .branch(2), label: "Body"), NodeLabel(id: .twig(Twig.all[20]), label: "Legs"),
      ],
      settings: [GardenSetting(id: .gardenName, value: "Mine")])
    let whole = GardenPicture.svg(garden, at: noon, in: .utc)
    #expect(whole.contains("role=\"img\"") && whole.contains("<title id=\"title\">Mine</title>"))
    #expect(
      whole.contains(
        "<desc id=\"summary\">A tree with 1 growing. Soil 5 of 10; 3 waterings left today, "
          + "the sun can shine.</desc>"))
    #expect(whole.contains(">Body</text>") && whole.contains("<title>3.5 Legs: 1 growing</title>"))
    let branch = BranchPicture.svg(garden, branch: 2, at: noon, in: .utc)
    #expect(branch.contains("<title id=\"title\">Body, branch 3</title>"))
    #expect(branch.contains(">3.5 Legs</text>") && branch.contains(">Run &amp; jump</text>"))
    let twig = TwigPicture.svg(garden, Twig.all[20], at: noon, in: .utc)
    #expect(twig.contains(">1 month, firm; growing, 33 %, until"))
  }

  @Test("is well-formed in every size, however strange")
  func sizes() {
    let garden = fullGarden(200)
    for side in [Double.nan, -5, 0, 1, 390, 1e300, .infinity] {
      for picture in [
        GardenPicture.svg(garden, at: noon, in: .utc, width: side),
        GardenPicture.svg(garden, at: noon, in: .utc, height: side),
        BranchPicture.svg(garden, branch: .min, at: noon, in: .utc, width: side),
        TwigPicture.svg(garden, Twig.all[0], at: noon, in: .utc, width: side),
      ] {
        #expect(Balance(picture).fault == nil)
        #expect(!picture.contains("nan") && !picture.contains("inf\""))
      }
    }
  }

  @Test(
    "words stay words",
    arguments: [
      "</text><script>alert(1)</script>", "\" onload=\"alert(1)", "&quot;&#x3c;b>", "]]><!--",
      "a\u{0}b\u{1B}[31mc\u{7F}\u{85}", "\u{202E}reversed\u{2066}\u{200F}", "line\u{2028}line\n\r",
      "\u{FFFE}\u{FFFF}", "'", "<", "&",
    ])
  func escaped(words: String) {
    for picture in pictures(fullGarden(130, words: words)) {
      let balance = Balance(picture)
      #expect(balance.fault == nil)
      #expect(balance.names.isSubset(of: Balance.known))
      for scalar in picture.unicodeScalars where scalar != "\n" {
        let category = scalar.properties.generalCategory
        #expect(category != .control && category != .lineSeparator)
        #expect(category != .format || scalar == "\u{200D}" || scalar == "\u{200C}")
        #expect(scalar != "\u{FFFE}" && scalar != "\u{FFFF}")
      }
    }
  }
}

extension String {
  /// How often a text occurs.
  func components(of text: String) -> Int {
    var count = 0
    var rest = self[...]
    while let found = rest.range(of: text) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }

  /// What is between two texts; nil if they are not there.
  func range(after start: String, until end: String) -> Substring? {
    guard let from = self[...].range(of: start) else { return nil }
    let rest = self[from.upperBound...]
    guard let to = rest.range(of: end) else { return nil }
    return rest[..<to.lowerBound]
  }
}
