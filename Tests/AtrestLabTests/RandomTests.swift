// SPDX-License-Identifier: Apache-2.0
// Random scenarios: a seed is reproducible, and the checker would detect a loss.

import AtrestClient
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@testable import AtrestLab

@Suite("A random scenario", .timeLimit(.minutes(20)))
struct RandomTests {
  private static let size = RandomPlay.Size(devices: 3, edits: 60)

  @Test("is the same for the same seed, down to the bytes its devices hold")
  func deterministic() async throws {
    let one = try await RandomPlay.play(seed: 7, size: Self.size)
    let two = try await RandomPlay.play(seed: 7, size: Self.size)
    let other = try await RandomPlay.play(seed: 8, size: Self.size)
    #expect(one.scenario == two.scenario)
    #expect(one.report.text == two.report.text)
    #expect(one.report.devices.map(\.digest) == two.report.devices.map(\.digest))
    #expect(one.scenario != other.scenario)
  }

  @Test("converges and loses nothing", arguments: seeds(12))
  func holds(seed: UInt64) async throws {
    let size = RandomPlay.Size(devices: 2 + Int(seed % 3), edits: 60)
    let play = try await RandomPlay.play(seed: seed, size: size)
    #expect(play.report.failureLines == [], "atrest-lab random --seed \(seed) --edits 60")
  }

  @Test("can be written down and played again, with the same outcome")
  func kept() async throws {
    for seed: UInt64 in [3, 4] {
      let play = try await RandomPlay.play(seed: seed, size: Self.size)
      let scenario = try Scenario(parsing: play.scenario.text, file: "kept.yaml")
      let report = try await Player.play(scenario, file: "kept.yaml")
      #expect(report.failureLines == [])
      #expect(report.devices.map(\.digest) == play.report.devices.map(\.digest))
    }
  }
}

@Suite("The account of writes", .timeLimit(.minutes(20)))
struct AtrestLedgerTests {
  private let key = RecordBook.setting("theme")

  private func holding(_ text: String?) -> Holding {
    var holding = Holding()
    if let text { holding.items[key] = Holding.HeldRecord(values: [2: .field(.text(text))]) }
    return holding
  }

  private func problems(_ ledger: Ledger, _ shown: String?, isOrdered: Bool = false) -> [String] {
    ledger.problems(
      holding(shown), writers: Writers(), name: { _ in "theme" }, isOrdered: isOrdered)
  }

  /// The phone wrote dawn and the tablet noon, concurrently.
  private var apart: Ledger {
    var ledger = Ledger()
    ledger.note("phone", from: holding(nil), to: holding("dawn"))
    ledger.note("tablet", from: holding(nil), to: holding("noon"))
    return ledger
  }

  @Test("misses a write that nobody superseded and the journal does not hold")
  func loss() {
    #expect(problems(apart, "noon").count == 1)
    #expect(problems(apart, "dawn").count == 1)
    #expect(problems(apart, "dusk").count == 2)
  }

  @Test("is content with a write superseded by one that knew it")
  func superseded() {
    var ledger = Ledger()
    ledger.note("phone", from: holding(nil), to: holding("dawn"))
    ledger.sync("phone")
    ledger.sync("tablet")
    ledger.note("tablet", from: holding("dawn"), to: holding("noon"))
    #expect(problems(ledger, "noon", isOrdered: true).isEmpty)
    #expect(problems(ledger, "dawn").count == 1)
  }

  @Test("knows that a sync told nobody of what was written after it")
  func ignorance() {
    var ledger = Ledger()
    ledger.sync("phone")
    ledger.note("phone", from: holding(nil), to: holding("dawn"))
    ledger.sync("tablet")
    ledger.note("tablet", from: holding(nil), to: holding("noon"))
    #expect(problems(ledger, "noon").count == 1)
  }

  @Test("misses the last write where all clocks were right")
  func order() {
    var ledger = apart
    ledger.sync("phone")
    ledger.sync("tablet")
    #expect(problems(ledger, "dawn", isOrdered: true).contains { $0.contains("did not win") })
  }

  @Test("does not ask for what only a device knew that was put back from an older copy")
  func putBack() {
    var ledger = Ledger()
    ledger.note("phone", from: holding(nil), to: holding("dawn"))
    ledger.sync("phone")
    ledger.backUp("phone")
    ledger.note("phone", from: holding("dawn"), to: holding("noon"))
    #expect(!problems(ledger, "dawn").isEmpty)
    ledger.putBack("phone")
    #expect(problems(ledger, "dawn", isOrdered: true).isEmpty)
  }

  @Test("finds a value that nobody wrote")
  func invented() {
    #expect(problems(Ledger(), "dawn").count == 1)
  }
}
