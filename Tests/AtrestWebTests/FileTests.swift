// SPDX-License-Identifier: Apache-2.0
// Specifies the files that a browser hands out and takes in.

import AtrestDomain
import Foundation
import Testing

@testable import AtrestWeb

@Suite("The files of a browser", .timeLimit(.minutes(20)))
struct FileTests {
  /// A core with two drinks and a setting.
  private func lived() -> WebCore {
    let core = fresh(seed: 1)
    for amount in [250, 300] { ask(core, "act", "water.add", #"{"millilitres":\#(amount)}"#) }
    ask(core, "act", "settings.set", #"{"setting":"vigil","value":"on"}"#)
    return core
  }

  private func fresh(seed: UInt64) -> WebCore {
    var number = seed
    let core = WebCore(random: {
      number += 0x9E37_79B9
      return number
    })
    ask(core, "open", "", "{}")
    return core
  }

  @discardableResult
  private func ask(
    _ core: WebCore, _ verb: String, _ name: String, _ argument: String = "{}",
    file: [UInt8]? = nil
  ) -> (said: String, file: [UInt8]?) {
    let request =
      #"{"do":"\#(verb)","app":"atrest","name":"\#(name)","now":1779278400000,"#
      + #""argument":\#(argument)}"#
    let answer = core.answer([Array(request.utf8)] + (file.map { [$0] } ?? []))
    return (String(decoding: answer[0], as: UTF8.self), answer.count > 1 ? answer.last : nil)
  }

  private func export(_ core: WebCore) throws -> [UInt8] {
    try #require(ask(core, "view", "export").file)
  }

  @Test("an export brought into a new replica is exported again as it was")
  func roundTrip() throws {
    let file = try export(lived())
    let other = fresh(seed: 2)
    let shown = ask(other, "view", "import", file: file).said
    #expect(shown.contains(#""changesAnything":true,"differs":false,"new":3,"updated":0"#))
    #expect(ask(other, "act", "import", file: file).said.contains("Brought in: 3 added."))
    #expect(try export(other) == file)
    #expect(ask(other, "view", "import", file: file).said.contains(#""changesAnything":false"#))
  }

  @Test("an import that was undone can be done again")
  func again() throws {
    let file = try export(lived())
    let other = fresh(seed: 2)
    for _ in 0..<2 {
      #expect(ask(other, "act", "import", file: file).said.contains("Brought in: 3 added."))
      #expect(ask(other, "act", "undo").said.contains(#""undone":true"#))
    }
  }

  @Test(
    "the iOS app's files are brought in as in the terminal",
    arguments: ["atrest-export", "session-state", "water-log"])
  func ios(name: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = Array(
      try Data(contentsOf: root.appendingPathComponent("Examples/Import/\(name).json")))
    let other = fresh(seed: 2)
    let shown = ask(other, "view", "import", file: file).said
    #expect(shown.contains("iOS") && shown.contains(#""changesAnything":true"#), "\(shown)")
    #expect(ask(other, "act", "import", file: file).said.contains("Brought in: "))
    #expect(ask(other, "view", "import", file: file).said.contains(#""changesAnything":false"#))
    if name == "atrest-export" {
      var changed = file
      changed[file.count / 2] ^= 0x04
      #expect(ask(other, "view", "import", file: changed).said.contains(#""code":"input""#))
    }
    let rows = Array("start,end\n2026-05-01 20:00,2026-05-02 12:00\n".utf8)
    #expect(ask(other, "view", "import", file: rows).said.contains("no export of Atrest or of its"))
  }

  @Test("a file that was changed anywhere, or cut anywhere, is refused and changes nothing")
  func damaged() throws {
    let file = try export(lived())
    let other = fresh(seed: 2)
    for index in file.indices {
      var changed = file
      changed[index] ^= 0x04
      #expect(ask(other, "act", "import", file: changed).said.hasPrefix(#"{"error":"#))
      // The last line's break may be missing.
      guard index < file.count - 1 else { continue }
      #expect(
        ask(other, "act", "import", file: Array(file[..<index])).said.hasPrefix(#"{"error":"#))
    }
    #expect(ask(other, "view", "export").said.contains(#""records":0"#))
  }

  @Test("records are called what they are, a garden's as well")
  func nouns() {
    let core = lived()
    ask(core, "act", "garden.sprout", #"{"title":"Bread","twig":"1.1"}"#)
    let said = ask(core, "view", "export").said
    #expect(said.contains("2 water entries") && said.contains("1 setting"))
    #expect(said.contains("1 sprout") && !said.contains("newer version"))
  }

  @Test("what is no signed transaction is not kept as a purchase")
  func purchases() {
    let core = fresh(seed: 1)
    for text in ["", "a.b.c", String(repeating: "x", count: 20_000)] {
      let said = ask(core, "act", "purchase", file: Array(text.utf8)).said
      #expect(said.contains("Take it from the App Store as it is."))
    }
  }
}
