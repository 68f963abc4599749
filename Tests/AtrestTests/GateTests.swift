// SPDX-License-Identifier: Apache-2.0
// Entitlement gates in the real program: the gate map line by line and tier by tier, and nothing
// else.

import AtrestAppStore
import AtrestClient
import AtrestDomain
import AtrestFoundation
import AtrestTestSupport
import Foundation
import Testing

@testable import atrest

@Suite("Free, trial, premium, and not known", .serialized, .timeLimit(.minutes(20)))
struct GateTests {
  /// A client with fasts whose entitlements are known.
  private struct Person {
    let atrest: Binary
    let tier: Entitlement

    init(_ tier: Entitlement, fasts: Int? = nil) throws {
      self.tier = tier
      atrest = try Binary()
      let replica = try Replica(directory: atrest.replica)
      let count = fasts ?? (tier == .trial ? 10 : 12)
      let now = SystemClock().now()
      for index in 0..<count {
        let end = now.advanced(bySeconds: -Double(index + 1) * 86_400)
        let span = try #require(
          Session.Span(
            start: end.advanced(bySeconds: -16 * 3600), end: end, outcome: .completed))
        try replica.save(Session(id: .random(), span: span, targetMinutes: 960))
      }
      guard tier != .unknown else { return }
      var settings = EntitlementSettings(bundleID: "com.atrest.fasting")
      if tier == .premium {
        var flaws = TestAuthority.Flaws()
        flaws.leafTo = TestAuthority.date(2030)
        let authority = try TestAuthority(flaws: flaws)
        try Data(authority.root).write(
          to: atrest.replica.appendingPathComponent("root.cer"))
        settings.roots = ["root.cer"]
        let payload = Payload(["expiresDate": "4000000000000"])
        try replica.keep(signedTransaction: authority.sign(payload.text))
      }
      try JSONEncoder().encode(settings).write(
        to: atrest.replica.appendingPathComponent(EntitlementSettings.fileName))
      let report = try atrest("entitlement", "--json").json() as? [String: Any]
      try #require(report?["state"] as? String == tier.rawValue)
    }

    /// The program's output on a terminal.
    func onTerminal(_ arguments: String...) throws -> String {
      let terminal = try PseudoTerminal(columns: 80, rows: 40)
      let process = try terminal.start(
        atrest, arguments, ["NO_COLOR": "1", "LANG": "C.UTF-8"])
      terminal.finish(process)
      return terminal.written
    }

    func isOpen(_ gate: FeatureGate) -> Bool { gate.isOpen(for: tier) }
  }

  /// Whether a text hints at a feature that is not available.
  private func hints(_ text: String) -> Bool {
    ["premium", "upgrade", "locked", "purchase", "buy", "trial", "forest"].contains {
      text.lowercased().contains($0)
    }
  }

  @Test("the forest, the way to it, and its trees", arguments: Entitlement.allCases)
  func forest(tier: Entitlement) throws {
    let person = try Person(tier)
    #expect(try person.onTerminal().contains("`atrest forest`") == person.isOpen(.forestIcon))
    for command in [["forest"], ["forest", "--svg", "-"], ["tree"]] {
      let answer = try person.atrest.start(command).wait()
      #expect((answer.code == 0) == person.isOpen(.forest), "\(command): \(answer.err)")
      if !person.isOpen(.forest) {
        #expect(answer.out.isEmpty)
        #expect(
          answer.err == "There is no forest on this account. `atrest calendar` shows the fasts.\n")
      }
    }
  }

  @Test("the tree that comes into being", arguments: Entitlement.allCases)
  func timerTree(tier: Entitlement) throws {
    let person = try Person(tier, fasts: tier == .trial ? 3 : nil)
    try person.atrest("fast", "start", "--at", "12h ago", "--target", "16h")
    let now = try #require(try person.atrest("--json").json() as? [String: Any])
    #expect((now["tree"] != nil) == person.isOpen(.timerTree))
    let shown = try person.onTerminal()
    let hasTree = shown.contains("⣿")
    #expect(hasTree == person.isOpen(.timerTree))
    #expect(shown.contains("12h 0m") && !hints(shown))
    #expect(try person.onTerminal("fast", "complete").contains("Ended early after 12h."))
  }

  @Test(
    "calendar and history: all, or the ten newest, and the rest simply absent",
    arguments: Entitlement.allCases)
  func history(tier: Entitlement) throws {
    let person = try Person(tier, fasts: tier == .trial ? 10 : 12)
    let all = tier == .trial ? 10 : 12
    let expected = person.isOpen(.wholeHistory) ? all : 10
    let list = try person.atrest("history", "--limit", "100")
    #expect(list.out.split(separator: "\n").count == expected + 1)
    #expect(!hints(list.out) && !list.out.contains("more"))
    let few = try person.atrest("history", "--limit", "4")
    #expect(few.out.hasSuffix("\n\(expected - 4) more: `--limit \(expected)` shows them all.\n"))
    #expect(try person.atrest("history").out.contains(" more: ") == (expected > 10))
    let months = ["this", "last"]
    let dots = try months.flatMap { month in
      let calendar = try person.atrest("calendar", month, "--json").json() as? [String: Any]
      return calendar?["days"] as? [[String: Any]] ?? []
    }
    #expect(dots.count == expected)
    #expect(try !hints(person.onTerminal("calendar", "last")))
  }

  @Test("the settings' sections, and the page behind one of them", arguments: Entitlement.allCases)
  func settings(tier: Entitlement) throws {
    let person = try Person(tier)
    let page = try person.atrest("settings").out
    #expect(page.contains("Go premium") == person.isOpen(.goPremium))
    #expect(page.contains("Account") == person.isOpen(.account))
    let paywall = try person.atrest("premium")
    #expect((paywall.code == 0) == person.isOpen(.paywall))
    #expect(paywall.out.contains("$79 once") == person.isOpen(.paywall))
    let programs = try person.atrest("premium", "--json")
    #expect(programs.out.contains("\"dollars\" : 79") == person.isOpen(.paywall))
    for title in ["Fasting", "Hydration", "Vigil", "Your data", "Export", "Import", "Legal"] {
      #expect(page.contains(title))
    }
    if paywall.code == 0 {
      let lines = paywall.out.split(separator: "\n")
      #expect(
        lines.first?.trimmingCharacters(in: .whitespaces) == "✦", "the tree that stands for it")
      #expect(lines.suffix(2).map { $0.prefix(5) } == ["Terms", "Priva"])
    }
    try person.atrest("vigil", "on")
    #expect(try person.atrest("vigil", "--json").out.contains("\"on\" : true"), "everybody's")
  }

  @Test("in the trial nothing is sold before the tenth fast")
  func nineFasts() throws {
    let answer = try Person(.trial, fasts: 9).atrest("premium")
    #expect(answer.code == 65 && answer.out.isEmpty)
  }

  @Test(
    "the transition moment: at exactly ten, once, on any device, and never where it is not due",
    arguments: [Entitlement.trial, .premium, .unknown])
  func transition(tier: Entitlement) throws {
    let moment = "Ten fasts have passed here, quietly."
    let person = try Person(tier, fasts: 10)
    let isDue = tier == .trial
    #expect(try !person.atrest().out.contains(moment), "a pipe does not use it up")
    #expect(try !person.atrest("--json").out.contains(moment))
    #expect(try person.onTerminal().contains(moment) == isDue)
    #expect(try !person.onTerminal().contains(moment))
    let replica = try Replica(directory: person.atrest.replica)
    let stored = try replica.preference(TransitionMoment.dismissedKey)
    #expect(stored == (isDue ? TransitionMoment.dismissedValue : nil))
    // Applying an entitlement is not a person's action, so undo does not revert it.
    #expect(try person.atrest("undo").code == 65)
  }

  @Test("it comes with the tenth fast, where that ends")
  func tenth() throws {
    let person = try Person(.trial, fasts: 9)
    #expect(try !person.onTerminal().contains("Ten fasts"))
    try person.atrest("fast", "start", "--at", "5h ago", "--target", "4h")
    let shown = try person.onTerminal("fast", "complete")
    #expect(shown.contains("This fast is complete.") && shown.contains("Ten fasts have passed"))
    #expect(try !person.onTerminal().contains("Ten fasts"))
  }

  @Test("not to know takes nothing away, and keeps what was known last")
  func unknown() throws {
    let person = try Person(.free)
    #expect(try person.atrest("forest").code == 65)
    // The policy has become unreadable. Known entitlements are kept and never reduced.
    let policy = person.atrest.replica.appendingPathComponent(EntitlementSettings.fileName)
    try Data("{".utf8).write(to: policy)
    #expect(try person.atrest("forest").code == 65)
    #expect(try person.atrest().code == 0)
    let note = person.atrest.replica.appendingPathComponent(RememberedEntitlement.fileName)
    for strange in [
      "", "{}", #"{"entitlement":"tsar"}"#, #"{"account":"else","entitlement":"free"}"#,
    ] {
      try Data(strange.utf8).write(to: note)
      #expect(try person.atrest("forest").code == 0, "\(strange)")
      #expect(try person.atrest("premium").code == 65, "where nothing is known nothing is sold")
    }
  }

  @Test("the words of one who has everything and of one who has not differ by nothing else")
  func nothingElse() throws {
    let (free, unknown) = (try Person(.free, fasts: 11), try Person(.unknown, fasts: 0))
    for person in [free, unknown] {
      try person.atrest("fast", "start", "--at", "5h ago")
      try person.atrest("water", "add", "300")
    }
    for command in [[], ["water", "today"], ["settings", "get", "target"], ["vigil"]] {
      let (a, b) = (try free.atrest.start(command).wait(), try unknown.atrest.start(command).wait())
      func comparable(_ text: String) -> String {
        text.replacing(#/[0-9a-f]{8} /#, with: "").replacing(#/\d\d:\d\d/#, with: "")
      }
      #expect(comparable(a.out) == comparable(b.out), "\(command)")
    }
  }
}
