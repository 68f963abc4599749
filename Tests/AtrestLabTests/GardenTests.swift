// SPDX-License-Identifier: Apache-2.0
// Gardens in scenarios: each expectation fails where the outcome differs, and says how.

import Foundation
import Testing

@testable import AtrestLab

@Suite("A garden in a scenario", .timeLimit(.minutes(20)))
struct GardenTests {
  /// A garden with one of everything, on one device. Its expectations begin at line 15.
  private static let garden = """
    - phone: {leaf: books, on: 3.5}
    - phone: {draft: cello, on: 2.1, season: 1y, environment: barren}
    - phone: {plant: novel, on: 3.5, season: 2w, leaf: books}
    - phone: {plant: essay, on: 3.5, season: 2w}
    - phone: {water: novel, note: One chapter}
    - phone: {water: essay}
    - phone: {shine: 3.5, note: A good week}
    - phone: {harvest: novel, result: 4, note: Well done, ended: +1h}
    - phone: {uproot: essay}
    - phone: {label: 3.5, to: Reading}
    """

  private func failures(_ expected: String) async throws -> [String] {
    try await Scenarios.play("\(Self.garden)\n- expect: {\(expected)}", devices: "[phone]")
      .failureLines
  }

  @Test("meets what is expected of all its parts")
  func right() async throws {
    let failures = try await failures(
      """
      sprouts: {cello: {state: draft, season: 1y, environment: barren, on: 2.1, title: cello},
        novel: {state: harvested, result: 4, season: 2w, environment: fertile, leaf: books,
        words: [One chapter], reflection: Well done, planted: 20:02, ended: +1h},
        essay: {state: uprooted, leaf: none, words: [], ended: 20:08}},
        leaves: {books: books}, labels: {3.5: Reading, 3: gone},
        soil: 8.95, capacity: 10.21, water left: 1, sun left: 0, number of sprouts: 3
      """)
    #expect(failures == [])
  }

  @Test(
    "differs from what is expected of any part of it, and says how",
    arguments: [
      ("sprouts: {cello: growing}", "“cello” on phone: state: expected growing, found draft"),
      ("sprouts: {novel: {result: 5}}", "“novel” on phone: result: expected 5, found 4"),
      ("sprouts: {cello: {result: 5}}", "result: expected 5, found nothing"),
      ("sprouts: {cello: {title: Cello}}", "title: expected “Cello”, found “cello”"),
      ("sprouts: {cello: {on: 2.2}}", "on: expected 2.2, found 2.1"),
      ("sprouts: {cello: {season: 6m}}", "season: expected 6m, found 1y"),
      ("sprouts: {novel: {environment: firm}}", "environment: expected firm, found fertile"),
      ("sprouts: {novel: {leaf: none}}", "leaf: expected none, found books"),
      ("sprouts: {cello: {leaf: books}}", "leaf: expected books, found none"),
      ("sprouts: {novel: {words: []}}", "words: expected none, found “One chapter”"),
      ("sprouts: {novel: {reflection: Hm}}", "reflection: expected “Hm”, found “Well done”"),
      ("sprouts: {novel: {reflection: none}}", "reflection: expected none, found “Well done”"),
      ("sprouts: {cello: {reflection: Hm}}", "reflection: expected “Hm”, found none"),
      ("sprouts: {novel: {planted: +1h}}", "planted: expected 2 Mar 21:00, found 2 Mar 20:02"),
      ("sprouts: {novel: {ended: +2h}}", "ended: expected 2 Mar 22:00, found 2 Mar 21:00"),
      ("sprouts: {novel: gone}", "“novel” on phone: expected it gone, and it is there"),
      ("leaves: {books: gone}", "“books” on phone: expected it gone, and it is there"),
      ("leaves: {books: Novels}", "“books” on phone: expected “Novels”, found “books”"),
      ("labels: {3.5: Novels}", "the label of 3.5 on phone: expected “Novels”, found “Reading”"),
      ("labels: {3.5: gone}", "the label of 3.5 on phone: expected none, found “Reading”"),
      ("labels: {trunk: Me}", "the label of trunk on phone: expected “Me”, found none"),
      ("soil: 8.94", "soil on phone: expected 8.94, found 8.95"),
      ("capacity: 10.20", "capacity on phone: expected 10.20, found 10.21"),
      ("water left: 2", "water left on phone: expected 2, found 1"),
      ("sun left: 1", "sun left on phone: expected 1, found 0"),
      ("number of sprouts: 2", "sprouts on phone: expected 2, found 3"),
    ])
  func wrong(expected: String, sentence: String) async throws {
    let failures = try await failures(expected)
    #expect(failures.count == 1)
    #expect(failures.first?.hasPrefix("x.yaml:15: ") == true, "\(failures)")
    #expect(failures.first?.hasSuffix(sentence) == true, "\(failures)")
  }

  @Test("compares what the journal says of a garden")
  func journal() async throws {
    func report(_ entry: String) async throws -> Report {
      try await Scenarios.play(
        """
        - phone: {leaf: books, on: 3.5}
        - phone: {draft: novel, on: 3.5}
        - sync: [phone, tablet]
        - phone: {edit: novel, title: One, season: 6m, leaf: books}
        - phone: {plant: novel}
        - tablet: {edit: novel, title: Two, environment: firm}
        - tablet: {plant: novel}
        - sync: [phone, tablet]
        - expect: {on: tablet, journal: [\(entry)]}
        """)
    }
    let (title, plan, planting) = (
      "{record: novel, field: title, kept: Two, set aside: One, from: phone}",
      "{record: novel, field: plan, kept: {season: 1m}, set aside: {season: 6m}}",
      "{record: novel, field: planting, kept: {environment: firm}, set aside: {planted: 20:04}}"
    )
    #expect(try await report("\(title), \(plan), \(planting)").failureLines == [])
    for wrong in [
      "{record: novel, field: title, kept: One}", "{record: novel, field: title, kept: none}",
      "{record: novel, field: plan, kept: {season: 6m}}",
      "{record: novel, field: planting, set aside: {planted: 20:06}}",
      "{record: novel, field: outcome, kept: 4}", "{record: books, field: title, kept: Two}",
    ] {
      let lines = try await report("\(title), \(plan), \(wrong)").failureLines
      #expect(lines.contains { $0.contains("as described, found none") }, "\(wrong): \(lines)")
    }
  }

  @Test("compares how a sprout ended")
  func outcomes() async throws {
    func holds(_ kept: String, _ lost: String) async throws -> Bool {
      try await Scenarios.play(
        """
        - phone: {plant: novel, on: 3.5}
        - sync: [phone, tablet]
        - phone: {uproot: novel}
        - tablet: {harvest: novel, result: 4, note: Late}
        - tablet: {edit: novel, note: Early}
        - sync: [phone, tablet]
        - expect:
            on: tablet
            journal: [{record: novel, field: outcome, kept: \(kept), set aside: \(lost)}]
        """
      ).isHeld
    }
    #expect(try await holds("4", "uprooted"))
    #expect(try await holds("{state: harvested, result: 4}", "{state: uprooted, ended: 20:02}"))
    #expect(try await holds("{result: 4, reflection: Early}", "{reflection: none}"))
    #expect(try await !holds("{reflection: Late}", "uprooted"))
    #expect(try await !holds("3", "uprooted"))
    #expect(try await !holds("uprooted", "4"))
    #expect(try await !holds("4", "{ended: 20:03}"))
  }

  @Test("refuses what is expected to be refused, and the scenario goes on")
  func refusals() async throws {
    let report = try await Scenarios.play(
      """
      - phone: {leaf: books, on: 3.5}
      - phone: {draft: cello, on: 2.1}
      - phone: {water: cello}
        fails: not growing
      - phone: {edit: cello, leaf: books}
        fails: leaf on another twig
      - phone: {plant: novel, on: 3.5, season: 1y}
        fails: not enough soil
      - phone: {plant: novel, on: 3.5, season: 2w}
      - phone: {edit: novel, environment: firm}
        fails: planted already
      - phone: {edit: novel, note: Words}
        fails: not ended
      - phone: {shine: 3.5}
      - phone: {shine: 2.1}
        fails: no sun left
      - phone: {water: novel}
      - phone: {water: novel}
      - phone: {water: novel}
      - phone: {water: novel}
        fails: no water left
      - expect: {number of sprouts: 2, sprouts: {novel: growing}}
      """, devices: "[phone]")
    #expect(report.failureLines == [])
    #expect(report.text.contains("“cello”, which is refused: not growing"))
  }

  @Test("says if it refuses for another reason, or does not refuse")
  func surprises() async throws {
    let report = try await Scenarios.play(
      """
      - phone: {draft: cello, on: 2.1}
      - phone: {water: cello}
        fails: no water left
      - phone: {plant: cello}
        fails: not enough soil
      - phone: {delete: cello}
      - sync: phone
      """, devices: "[phone]")
    let lines = report.failureLines
    try #require(lines.count == 3)
    #expect(
      lines[0].hasPrefix("x.yaml:6: phone: expected it to be refused (no water left), found: That"))
    #expect(
      lines[1] == "x.yaml:8: phone: expected it to be refused (not enough soil), and it was not")
    #expect(lines[2].hasPrefix("x.yaml:10: phone cannot do that: Only a draft can be deleted."))
    #expect(lines[2].hasSuffix("The scenario ends here."))
  }

  @Test("tells programs how soil changed")
  func json() async throws {
    let report = try await Scenarios.play("- phone: {plant: novel, on: 3.5}", devices: "[phone]")
    let data = try JSONEncoder().encode(ReportRow(report))
    let row = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let steps = try #require(row["steps"] as? [[String: Any]])
    #expect(
      steps.last?["soil"] as? [String: String] == [
        "before": "10.00 of 10.00", "after": "7.00 of 10.00",
      ])
  }

  @Test("reads back from what is written of it")
  func written() throws {
    let text = """
      - phone: {leaf: "a \\"quoted\\" leaf", on: 3.5}
      - phone: {draft: cello, on: 2.1, season: 1y, environment: barren}
      - phone: {plant: novel, on: 3.5, season: 2w, leaf: "a \\"quoted\\" leaf", planted: 19:00}
      - phone: {plant: cello, planted: 19:30}
      - phone: {water: novel, note: "One: chapter", watered: 19:40}
      - phone: {shine: 3.5, note: A good week, shone: 19:45}
      - phone: {edit: novel, title: Novel, on: 3.6, season: 1m, environment: firm, leaf: none}
      - phone: {edit: novel, leaf: "a \\"quoted\\" leaf"}
        fails: leaf on another twig
      - phone: {edit: "a \\"quoted\\" leaf", name: Leaf}
      - phone: {harvest: novel, result: 4, note: Well done, ended: 19:50}
      - phone: {edit: novel, note: Better}
      - phone: {uproot: cello, ended: 19:50}
      - phone: {label: trunk, to: "", note: Home}
      - phone: {label: 3, to: Mind}
      - phone: {bring back: 3, field: label}
      """
    let scenario = try Scenario(parsing: scenarioText(text), file: "x.yaml")
    let again = try Scenario(parsing: scenario.text, file: "again.yaml")
    #expect(again.text == scenario.text)
    #expect(again.steps.map(\.action) == scenario.steps.map(\.action))
  }

  @Test(
    "names the line of a flaw, what was expected, and what is there",
    arguments: [
      ("plant: a", "`on` with a twig such as 3.5, or a draft", "“a”"),
      ("draft: a", "`on` with a twig", "none"),
      ("plant: a, on: 3.9", "a twig such as 3.5", "“3.9”"),
      ("plant: a, on: 3.5, season: 3w", "a season (2w, 1m, 3m, 6m, 1y)", "“3w”"),
      ("plant: a, on: 3.5, environment: wet", "an environment (fertile, firm, barren)", "“wet”"),
      ("plant: a, on: 3.5, leaf: b", "a leaf that was named before", "“b”"),
      ("draft: old, on: 3.5", "is taken already", "“old”"),
      ("plant: old, on: 3.5", "leave `on` out", "“old”"),
      ("water: a", "a sprout that was planted or drafted before", "“a”"),
      ("harvest: old", "`result`, from 1 to 5", "none"),
      ("harvest: old, result: 6", "a result from 1 to 5", "“6”"),
      ("shine: 9.1", "a twig such as 3.5", "“9.1”"),
      ("label: 9, to: a", "`trunk`, a branch such as 3 or a twig such as 3.5", "“9”"),
      ("label: 3", "`to` with the label, or `note`", ""),
      ("edit: old, amount: 250 ml", "a sprout has no `amount`", ""),
      ("edit: page, title: a", "a leaf has no `title`", ""),
      ("edit: old, title: ''", "A title has 1 to 60 characters", "nothing"),
      ("edit: page, name: ''", "A leaf's name has 1 to 40 characters", "nothing"),
      ("edit: 2.2, title: a", "a part of the tree has no `title`", ""),
      ("delete: 2.2", "a label is taken away with `label: 2.2", ""),
    ])
  func flaws(edit: String, expected: String, found: String) throws {
    let text = scenarioText(
      """
      - phone: {draft: old, on: 1.1}
      - phone: {leaf: page, on: 1.1}
      - phone: {label: 2.2, to: Two}
      - phone: {\(edit)}
      """)
    try expectFlaw(text, 8, expected, found)
  }

  @Test(
    "names the line of an expectation that nothing could meet",
    arguments: [
      ("soil: much", "soil to the hundredth", "“much”"),
      ("soil: 1.005", "soil to the hundredth", "“1.005”"),
      ("soil: 121", "at most 120", "“121”"),
      ("capacity: 9.99", "a capacity to the hundredth, from 10 to 120", "“9.99”"),
      ("water left: 4", "water left from 0 to 3", "“4”"),
      ("sun left: 2", "sun left from 0 to 1", "“2”"),
      ("sprouts: {a: growing}", "a sprout that was named before", "“a”"),
      ("sprouts: {old: alive}", "a sprout's state (draft, growing, harvested, upr", "“alive”"),
      ("sprouts: {old: {state: growing, result: 3}}", "only what is `harvested` has", ""),
      ("sprouts: {old: {words: One}}", "a list of the words", "“One”"),
      ("leaves: {old: a}", "a leaf that was named before", "“old”"),
      ("labels: {4.0: a}", "`trunk`, a branch such as 3 or a twig", "“4.0”"),
      ("journal: [{record: old, field: outcome, kept: 6}]", "a result from 1 to 5", "“6”"),
      ("journal: [{record: old, field: plan, kept: 3m}]", "a plan", "“3m”"),
    ])
  func impossible(expected: String, words: String, found: String) throws {
    let text = scenarioText("- phone: {draft: old, on: 1.1}\n- expect: {\(expected)}")
    try expectFlaw(text, 6, words, found)
  }

  @Test("takes `fails` where a garden can refuse, and nowhere else")
  func misplaced() throws {
    let text = scenarioText("- phone: {start: a}\n  fails: no water left")
    try expectFlaw(text, 6, "belong to `sync`, and `fails` to what is done in a garden", "")
    let other = scenarioText("- phone: {draft: a, on: 1.1}\n  fails: offline")
    try expectFlaw(other, 6, "why a garden refuses something (not enough soil", "“offline”")
    let clock = scenarioText("- phone: {clock: right}\n  fails: no water left")
    try expectFlaw(clock, 6, "belong to `sync`", "")
  }

  private func expectFlaw(
    _ text: String, _ line: Int, _ expected: String, _ found: String
  ) throws {
    let error = try #require(throws: ScenarioError.self) {
      try Scenario(parsing: text, file: "x.yaml")
    }
    #expect(error.line == line, "\(error.userMessage)")
    #expect(error.problem.contains(expected), "\(error.userMessage)")
    #expect(found.isEmpty || error.problem.contains(found), "\(error.userMessage)")
  }
}
