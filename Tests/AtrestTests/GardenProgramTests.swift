// SPDX-License-Identifier: Apache-2.0
// `trunk` as people run it: beside `atrest` on one replica, on two devices, and typed wrongly.

import Foundation
import Testing

@Suite("trunk", .timeLimit(.minutes(20)))
struct GardenProgramTests {
  private let trunk: Binary

  init() throws { trunk = try Binary("trunk") }

  private func row(_ answer: Binary.Answer) throws -> [String: Any] {
    try #require(try answer.json() as? [String: Any], "\(answer.err)")
  }

  private func soil(_ answer: Binary.Answer) throws -> Double {
    try #require((try row(answer)["meters"] as? [String: Any])?["soil"] as? Double)
  }

  @Test("a sprout is planted, watered, harvested; undo takes the harvest back")
  func life() throws {
    #expect(
      try soil(
        trunk(
          "plant", "Read", "--on", "3.5", "--season", "3m", "--environment", "firm", "--json")) == 2
    )
    #expect(try trunk("water", "read", "Two chapters").out.contains("Water left today: 2."))
    #expect(try trunk("shine", "3.5", "Quiet").code == 0)
    let harvested = try row(
      trunk("harvest", "read", "--result", "4", "--note", "On the train", "--json"))
    #expect((harvested["sprout"] as? [String: Any])?["state"] as? String == "completed")
    #expect(
      ((harvested["meters"] as? [String: Any])?["capacity"] as? Double).map { $0 > 12.5 } == true)
    for journal in [try trunk("journal"), try trunk("journal", "read")] {
      #expect(journal.out.contains("harvested “Read”, 4 of 5\n  On the train"))
      #expect(journal.out.contains("Two chapters"))
    }
    let rows = try #require(try trunk("journal", "--json").json() as? [[String: Any]])
    #expect(Set(rows.compactMap { $0["kind"] as? String }) == ["harvest", "watering", "shining"])
    #expect(rows.first { $0["kind"] as? String == "harvest" }?["result"] as? Int == 4)
    #expect(try trunk("undo").out.contains("a sprout, “Read”"))
    #expect(try trunk("list", "--json").out.contains("\"active\""))
    #expect(try trunk("journal").out.contains("Two chapters"))
  }

  @Test("what cannot be done is one sentence and a status, and changes nothing")
  func refused() throws {
    #expect(try trunk("plant", "Read", "--on", "3.5").code == 0)
    let before = try trunk("tree", "--json").out
    for (arguments, status, words) in [
      (["plant", "x", "--on", "9.1"], Int32(64), "no twig"),
      (["plant", "x", "--on", "3.5", "--season", "9w"], 64, "A season is"),
      (["plant", "x", "--on", "3.5", "--environment", "wet"], 64, "An environment is"),
      (["plant", String(repeating: "x", count: 61), "--on", "3.5"], 65, "A title has 1 to 60"),
      (["plant", "a\u{1B}[2Jb", "--on", "3.5"], 65, "That holds a control character"),
      (["leaf", "add", "a\u{202E}b", "--on", "3.5"], 65, "That holds a control character"),
      (["label", "3.5", "a\u{7}b"], 65, "That holds a control character"),
      (["edit", "read", "--bloom1", "a\u{7F}"], 65, "That holds a control character"),
      (["plant", "x", "--on", "1.1", "--season", "1y", "--environment", "barren"], 65, "takes 24"),
      (["harvest", "read", "--result", "6"], 64, "from 1 to 5"),
      (["harvest", "read", "--result", "-1"], 64, "from 1 to 5"),
      (["harvest", "nothing", "--result", "3"], 65, "No sprout"),
      (["branch", "9"], 64, "no branch"), (["label", "9.9", "x"], 64, "no part of the tree"),
      (["plant", "read"], 65, "planted already"),
      (["delete", "read"], 65, "Only a draft"),
      (["water", "read", "--at", "2020-01-01T07:00"], 65, "before it was planted"),
      (["harvest", "read", "--result", "5", "--at", "2020-01-01T07:00"], 65, "before it was"),
      (["edit", "read", "--note", "x"], 65, "has not ended yet"),
      (["plant", "x", "--on", "3.5", "--at", "tomorrow 9:00"], 64, "time"),
      (["import", "/nowhere/garden.json"], 65, "could not be read"),
      (["water"], 64, "Missing expected argument"),
    ] {
      let answer = try trunk.start(arguments).wait()
      #expect(answer.code == status, "\(arguments): \(answer.err)")
      #expect(answer.err.contains(words), "\(arguments): \(answer.err)")
      #expect(answer.out.isEmpty)
    }
    #expect(try trunk("tree", "--json").out == before)
    #expect(try trunk("edit", "read", "--title", "Read\nslowly").out.contains("“Read slowly”"))
    for _ in 0..<3 { #expect(try trunk("water", "read").code == 0) }
    let fourth = try trunk("water", "read")
    #expect(fourth.code == 65 && fourth.err.hasPrefix("The day's water is used."))
    #expect(try trunk("shine", "1.1").code == 0)
    #expect(try trunk("shine", "1.2").code == 65)
  }

  @Test("pictures are drawn in cells, and written as files that are not replaced unasked")
  func pictures() throws {
    #expect(try trunk("plant", "Read", "--on", "3.5").code == 0)
    let drawing = try trunk("tree", with: ["LC_ALL": "C.UTF-8"])
    #expect(drawing.out.contains("●") && drawing.out.contains("Growing (1)"))
    let plain = try trunk("tree", with: ["LC_ALL": "C"])
    #expect(plain.out.utf8.allSatisfy { $0 < 0x80 })
    let file = trunk.home.appendingPathComponent("tree.svg")
    #expect(try trunk("tree", "--svg", file.path).code == 0)
    let svg = try String(contentsOf: file, encoding: .utf8)
    #expect(svg.hasPrefix("<svg") && svg.contains("1 growing"))
    #expect(try trunk("tree", "--svg", file.path).code != 0)
    #expect(try trunk("tree", "--svg", file.path, "--force").code == 0)
    #expect(try trunk("branch", "3", "--svg", "-").out.hasPrefix("<svg"))
    #expect(try trunk("twig", "3.5", "--svg", "-").out.contains("Read"))
    #expect(try trunk("tree", "--svg", "-", "--size", "0x5").code == 64)
  }

  @Test("reading creates no replica, and a wrong word neither")
  func createsNothing() throws {
    for arguments in [
      ["tree"], ["list"], ["journal"], ["branch", "1"], ["leaf"], ["settings"], ["undo"],
      ["water", "x"], ["plant", "x", "--on", "z"], ["export"], ["label", "3", ""],
      ["plant", "x", "--on", "1.1", "--season", "1y", "--environment", "barren"],
      ["plant", "x", "--on", "1.1", "--leaf", "nope"],
      ["draft", "x", "--on", "1.1", "--leaf", "nope"],
    ] {
      _ = try trunk.start(arguments).wait()
      #expect(!FileManager.default.fileExists(atPath: trunk.replica.path), "\(arguments)")
    }
  }

  @Test("a backup of atrest reads in words, and brings the whole garden back")
  func backup() throws {
    let program = try Binary()
    func atrest(_ arguments: String...) throws -> Binary.Answer {
      try program.start(arguments, ["ATREST_REPLICA": trunk.replica.path]).wait()
    }
    for arguments in [
      ["plant", "Read", "--on", "3.5", "--season", "2w", "--bloom3", "Both volumes"],
      ["water", "read", "Two\nchapters"], ["shine", "3.5", "Quiet"],
      ["harvest", "read", "--result", "4", "--note", "On the train"],
      ["draft", "Cello", "--on", "2.1"], ["leaf", "add", "Long books", "--on", "3.5"],
      ["edit", "read", "--leaf", "long"], ["label", "3", "Mind", "--note", "Slowly"],
      ["settings", "--name", "Behind the house"],
    ] {
      let answer = try trunk.start(arguments).wait()
      #expect(answer.code == 0, "\(answer.err)")
    }
    #expect(try atrest("water", "add", "250").code == 0)
    let written = try atrest("export", "-").out.split(separator: "\n")
    let records = try written.dropFirst().dropLast().map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let kinds = Set(records.compactMap { $0["kind"] as? String })
    #expect(
      kinds == [
        "sprout", "watering", "shining", "leaf", "node", "garden_setting", "water",
      ])
    let sprout = try #require(
      records.first { ($0["raw"] as? [String: String])?["5"]?.isEmpty == false })
    let fields = try #require(sprout["fields"] as? [String: [String: Any]])
    #expect(fields["title"]?["text"] as? String == "Read")
    #expect(fields["planting"]?["season"] as? String == "2w")
    #expect(fields["outcome"]?["result"] as? Int == 4)
    #expect(fields["outcome"]?["reflection"] as? String == "On the train")
    #expect(sprout["id"] as? String != nil && sprout["kind_number"] as? Int == 1040)

    let file = trunk.home.appendingPathComponent("backup.jsonl").path
    let said = try atrest("export", file, "--stamps").out
    #expect(said.contains("1 water entry, 2 sprouts, 1 watering, 1 shining, 1 leaf, 1 label"))
    let other = ["--replica", trunk.home.appendingPathComponent("other").path]
    let brought = try program.start(["import", file, "--yes"] + other).wait()
    #expect(brought.code == 0 && brought.out.contains("2 sprouts: 2 new."), "\(brought.err)")
    for listing in [
      ["tree", "--json"], ["list", "--all", "--json"], ["journal", "--json"],
      ["twig", "3.5", "--json"], ["branch", "3", "--json"], ["settings", "--json"], ["export"],
    ] {
      let (here, there) = (
        try trunk.start(listing).wait().out, try trunk.start(listing + other).wait().out
      )
      // An export says when it was made.
      let withoutTime = { (text: String) in
        text.split(separator: "\n").filter { !$0.contains("exportedAt") }
      }
      #expect(withoutTime(here) == withoutTime(there) && here.count > 20, "\(listing)")
    }
    let again = try program.start(["import", file, "--yes"] + other).wait()
    #expect(again.out.contains("Nothing here would change."))
  }

  @Test("two devices plant with the last soil, and both keep their sprouts; one replica, two apps")
  func twoDevices() throws {
    let household = try Household()
    let phone = try household.companion()
    let tablet = try household.companion("tablet", isFirst: false)
    func garden(_ device: Binary, _ arguments: String...) throws -> Binary.Answer {
      try trunk.start(arguments, ["ATREST_REPLICA": device.replica.path]).wait()
    }
    let plan = ["--season", "3m", "--environment", "firm"]
    _ = try phone("water", "add", "250")
    for (device, title) in [(phone, "Cello"), (tablet, "Swim")] {
      let answer = try trunk.start(
        ["plant", title, "--on", "1.1"] + plan, ["ATREST_REPLICA": device.replica.path]
      ).wait()
      #expect(answer.code == 0, "\(answer.err)")
    }
    for device in [phone, tablet, phone] { #expect(try garden(device, "sync").code == 0) }
    for device in [phone, tablet] {
      let tree = try garden(device, "tree", "--json")
      #expect(try soil(tree) == -6)
      #expect(try (row(tree)["growing"] as? [Any])?.count == 2)
    }
    #expect(try garden(phone, "status").out.contains("Soil -6.00 of 10.00"))
    #expect(try garden(phone, "tree").out.contains("More was planted than there was soil for."))
    #expect(try garden(tablet, "plant", "More", "--on", "1.2").code == 65)
    #expect(try tablet("water", "today").out.contains("250"))
    #expect(try phone("replica", "digest").out == tablet("replica", "digest").out)

    // Harvested on both with different results: the later one counts, the other is in the journal.
    // The words of the one that lost are set aside with it: they are not about the other result.
    let harvest = ["harvest", "swim", "--result"]
    let path = { (device: Binary) in ["ATREST_REPLICA": device.replica.path] }
    #expect(
      try trunk.start(harvest + ["2", "--note", "Half of it"], path(phone)).wait().code == 0)
    #expect(try trunk.start(harvest + ["5"], path(tablet)).wait().code == 0)
    for device in [phone, tablet, phone] { _ = try garden(device, "sync") }
    for device in [phone, tablet] {
      #expect(try garden(device, "list", "--all").out.contains("harvested 5/5"))
      let list = try #require(
        try garden(device, "list", "--all", "--json").json() as? [[String: Any]])
      #expect(list.allSatisfy { $0["reflection"] == nil })
      #expect(try garden(device, "conflicts").out.contains("2 of 5, “Half of it”"))
    }
    #expect(try garden(phone, "tree", "--json").out == garden(tablet, "tree", "--json").out)

    // One takes its planting back while the other one harvests: the harvest counts.
    #expect(try garden(phone, "draft", "Walk", "--on", "2.1", "--season", "2w").code == 0)
    #expect(try garden(phone, "plant", "walk").code == 0)
    for device in [phone, tablet] { _ = try garden(device, "sync") }
    #expect(try garden(tablet, "harvest", "walk", "--result", "4", "--note", "Far").code == 0)
    #expect(try garden(phone, "undo").out.contains("“Walk”"))
    for device in [phone, tablet, phone] { _ = try garden(device, "sync") }
    for device in [phone, tablet] {
      let walk = try #require(
        try (garden(device, "list", "--on", "2.1", "--json").json() as? [[String: Any]])?.first)
      #expect(walk["state"] as? String == "completed" && walk["reflection"] as? String == "Far")
    }

    // Words alone, afterwards: the result stays.
    #expect(try garden(tablet, "edit", "swim", "--note", "All of it").code == 0)
    for device in [tablet, phone] { _ = try garden(device, "sync") }
    #expect(try garden(phone, "list", "--all").out.contains("harvested 5/5"))
    #expect(try garden(phone, "list", "--all", "--json").out.contains("\"All of it\""))

    // Either program writes the account down in the words of both.
    for document in [
      try phone("account", "export", "-"), try garden(tablet, "account", "export", "-"),
    ] {
      for kind in ["sprout", "water", "conflict"] {
        #expect(document.out.contains("\"kind\":\"\(kind)\""), "\(document.err)")
      }
    }

    // Undo in the garden leaves the water alone.
    #expect(try garden(tablet, "undo").out.contains("a sprout, “Swim”"))
    #expect(try phone("water", "today").out.contains("250"))
  }

  @Test("undo takes back an import, and what it took back stays away and is said to")
  func undoImport() throws {
    let program = try Binary()
    func atrest(_ arguments: String...) throws -> Binary.Answer {
      try program.start(arguments, ["ATREST_REPLICA": trunk.replica.path]).wait()
    }
    #expect(try trunk("plant", "Read", "--on", "3.5").code == 0)
    let file = trunk.home.appendingPathComponent("garden.json")
    let text = """
      {"version": 4, "events": [
        {"type": "sprout_planted", "timestamp": "2026-01-01T11:00:00Z", "sproutId": "s",
         "twigId": "branch-0-twig-0", "title": "Run 5K", "season": "1m", "environment": "firm"},
        {"type": "sprout_watered", "timestamp": "2026-01-02T11:00:00Z", "sproutId": "s",
         "content": "Slow"}]}
      """
    try text.write(to: file, atomically: true, encoding: .utf8)
    let dry = try trunk("import", file.path, "--dry-run")
    #expect(dry.out == "Would add 1 sprout and 1 watering.\n", "\(dry.err)")
    #expect(try trunk("import", file.path).out == "Added 1 sprout and 1 watering.\n")
    #expect(try trunk("import", file.path).out == "Added nothing.\n")
    #expect(try atrest("water", "add", "250").code == 0)

    let undone = try trunk("undo")
    #expect(undone.out.contains("a sprout, “Run 5K”; a watering"), "\(undone.err)")
    #expect(try atrest("water", "today").out.contains("250"))
    let left = try trunk("list", "--all").out
    #expect(left.contains("Read") && !left.contains("Run 5K"))
    let again = try trunk("import", file.path)
    #expect(
      again.out == "Added nothing. 2 records of the file were deleted here, and stay deleted.\n")
    #expect(try trunk("undo").out.contains("a sprout, “Read”"))
    #expect(try trunk("undo").code == 65)

    // Too large to be taken back: that is said, and not something else undone.
    let many = (0..<101).map { number in
      """
      {"type": "sun_shone", "timestamp": "2025-01-01T10:00:00Z", "content": "\(number)",
       "twigId": "branch-0-twig-0", "client_id": "0b6bd8a7-3b0a-4e83-9d3d-0b9f57aaf\(100 + number)"}
      """
    }
    try "{\"events\": [\(many.joined(separator: ","))]}"
      .write(to: file, atomically: true, encoding: .utf8)
    #expect(try trunk("plant", "Swim", "--on", "1.1").code == 0)
    let large = try trunk("import", file.path)
    #expect(large.out.contains("Added 101 shinings. That is more than `trunk undo` can take back."))
    let refused = try trunk("undo")
    #expect(refused.code == 65 && refused.err.hasPrefix("That changed too much at once"))
    #expect(try trunk("list").out.contains("Swim"))
    #expect(try trunk("undo").out.contains("a sprout, “Swim”"))
  }

  @Test("undo takes back what was written back from the journal, and not the edit before it")
  func undoRestore() throws {
    let household = try Household()
    let phone = try household.companion()
    let tablet = try household.companion("tablet", isFirst: false)
    func garden(_ device: Binary, _ arguments: String...) throws -> Binary.Answer {
      let answer = try trunk.start(arguments, ["ATREST_REPLICA": device.replica.path]).wait()
      #expect(answer.code == 0, "\(arguments): \(answer.err)")
      return answer
    }
    _ = try garden(phone, "plant", "Read", "--on", "3.5")
    for device in [phone, tablet] { _ = try garden(device, "sync") }
    _ = try garden(phone, "edit", "read", "--title", "Read slowly")
    _ = try garden(tablet, "edit", "read", "--title", "Read aloud")
    for device in [phone, tablet, phone] { _ = try garden(device, "sync") }
    func conflicts() throws -> [[String: Any]] {
      try #require(try garden(phone, "conflicts", "--json").json() as? [[String: Any]])
    }
    let entry = try #require(try conflicts().first)
    let id = try #require(entry["id"] as? String)
    _ = try garden(phone, "label", "3", "Mind")
    _ = try garden(phone, "conflicts", "restore", id)
    #expect(try garden(phone, "list").out.contains("Read slowly"))
    #expect(try conflicts().isEmpty)

    let undone = try garden(phone, "undo")
    #expect(undone.out.contains("a sprout, “Read slowly”"), "\(undone.out)")
    #expect(undone.out.contains("What was written back is set aside again."))
    #expect(try garden(phone, "list").out.contains("Read aloud"))
    #expect(try conflicts().count == 1)
    #expect(try garden(phone, "branch", "3").out.contains("Mind"))
    #expect(try garden(phone, "undo").out.contains("a label"))
  }
}
