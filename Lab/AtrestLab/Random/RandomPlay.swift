// SPDX-License-Identifier: Apache-2.0
// Generates a scenario while playing it: edits, syncs, offline devices and wrong clocks from one
// seed.

import AtrestClient
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// A random scenario and its outcome.
package struct RandomPlay: Sendable {
  /// The size of a random scenario.
  package struct Size: Hashable, Sendable {
    /// The number of devices, 1 to `Scenario.Limits.devices`.
    package var devices: Int
    /// The number of edits, 1 to 5,000.
    package var edits: Int

    /// The valid numbers of edits.
    package static let editRange = 1...5_000

    /// Creates a size; values are clamped to their ranges.
    package init(devices: Int, edits: Int) {
      self.devices = min(max(devices, 1), Scenario.Limits.devices)
      self.edits = min(max(edits, Self.editRange.lowerBound), Self.editRange.upperBound)
    }
  }

  /// The seed that determines the run.
  package let seed: UInt64
  /// The scenario as played, for replay.
  package let scenario: Scenario
  /// The outcome.
  package let report: Report
  package let syncs: Int
  /// The number of journal entries at the end.
  package let setAside: Int

  /// Generates and plays a scenario. Equal seeds and sizes give equal scenarios and replicas.
  ///
  /// The replicas are compared with each other, and with a model of all writes that uses no stamps.
  /// - Throws: As `Player.play`.
  package static func play(seed: UInt64, size: Size) async throws -> RandomPlay {
    var maker = try await RandomMaker(seed: seed, size: size)
    do {
      try await maker.run(edits: size.edits)
    } catch {
      await maker.player.close()
      throw error
    }
    await maker.player.close()
    return RandomPlay(
      seed: seed, scenario: maker.scenario, report: maker.player.report, syncs: maker.syncs,
      setAside: maker.player.report.devices.first?.journal.count ?? 0)
  }
}

/// Draws steps one by one, each valid for its device at that time.
private struct RandomMaker {
  var player: Player
  var scenario: Scenario
  var syncs = 0
  private var random: SplitMix
  private let hasWrongClocks: Bool
  private let mishaps: Mishaps
  private var backups: Set<Scenario.Machine> = []
  private let longestPause: Int
  private var now: WallTime
  private var made = 0

  /// 5 January 2026, 8:00 UTC.
  private static let start = WallTime(milliseconds: 1_767_600_000_000)
  /// The kind of faults. Never both: a server and a device that both lose data may lose writes that
  /// only they had.
  private enum Mishaps: CaseIterable {
    case none
    /// Devices are copied or restored from backups.
    case devices
    /// The server is restored from backups.
    case server
  }

  /// 60 days.
  private static let longestMinutes = 60 * 1440
  private static let deviceNames = ["phone", "tablet", "laptop", "watch"]
  private static let settings = ["greeting", "theme", TargetPreference.key]

  init(seed: UInt64, size: RandomPlay.Size) async throws {
    var random = SplitMix(seed: seed)
    hasWrongClocks = Bool.random(using: &random)
    mishaps = Mishaps.allCases.randomElement(using: &random) ?? .none
    var setups: [Scenario.Setup] = []
    for index in 0..<size.devices {
      let name = index < Self.deviceNames.count ? Self.deviceNames[index] : "device \(index + 1)"
      var setup = Scenario.Setup(name: name)
      if hasWrongClocks, Int.random(in: 0..<3, using: &random) == 0 {
        setup.clock = Self.wrongClock(&random)
      }
      setups.append(setup)
    }
    scenario = Scenario(
      name: "Random edits, seed \(seed)", start: Self.start, devices: setups, steps: [])
    scenario.about = "\(size.edits) edits on \(size.devices) devices, made up from a seed."
    self.random = random
    // The whole run fits in the journal's retention of 90 days.
    longestPause = min(90, Self.longestMinutes / (2 * size.edits + 20) + 1)
    now = Self.start
    player = try await Player(
      scenario, file: "seed \(seed)", on: .own, seed: 1, isVerbose: false)
  }

  private static func wrongClock(_ random: inout SplitMix) -> ClockError {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .ahead(milliseconds: 2 * 3_600_000)
    case 1: .ahead(milliseconds: -3 * 86_400_000)
    case 2: .ahead(milliseconds: 365 * 86_400_000)
    case 3: .stuck(WallTime(milliseconds: 300_000))
    default: .none
    }
  }

  mutating func run(edits: Int) async throws {
    while made < edits, scenario.steps.count < Scenario.Limits.steps - 8 {
      try Task.checkCancellation()
      guard let device = player.devices.randomElement(using: &random) else { return }
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<65:
        guard let edit = try edit(on: device) else { continue }
        try await play(.edit(device: device.name, edit))
        made += 1
      case 65..<86: try await sync(device.name)
      case 86..<92:
        try await play(.network(devices: [device.name], isOnline: device.isOffline))
      case 92..<95 where hasWrongClocks:
        try await play(.clock(device: device.name, Self.wrongClock(&random)))
      case 95: try await play(.restartServer)
      case 96...: if let mishap = mishap(device) { try await play(mishap) }
      default: continue
      }
    }
    try await finish()
  }

  private mutating func finish() async throws {
    let names = player.devices.map(\.name)
    try await play(.network(devices: names, isOnline: true))
    for _ in 0..<2 {
      for name in names { try await sync(name) }
    }
    var expectation = Expectation()
    expectation.isIdentical = true
    expectation.waiting = 0
    let holding = try Holding(player.devices[0].replica)
    expectation.fastCount = holding.live.count { $0.key.kind == .session }
    expectation.waterCount = holding.live.count { $0.key.kind == .water }
    expectation.journal = .count(holding.journal.count)
    try await play(.expect(expectation))
    let problems = player.ledger.problems(
      holding, writers: player.writers, name: player.book.name, isOrdered: !hasWrongClocks)
    player.report.check(problems.isEmpty, 0, problems.first ?? "")
    for problem in problems.dropFirst() { player.report.fail(0, problem) }
    try player.conclude()
  }

  /// Syncs a device. A restored server may no longer know it; then it pairs again, as its owner
  /// would.
  private mutating func sync(_ name: String) async throws {
    advance()
    let index = player.index(name)
    var step = Scenario.Step(
      at: now, action: .sync(devices: [name], allowsMassDeletion: true, fails: nil))
    player.clock.set(now)
    let found = try await player.sync(index, step, allowsMassDeletion: true)?.kind
    if found == .accessEnded, mishaps == .server {
      step.action = .sync(devices: [name], allowsMassDeletion: true, fails: found)
      scenario.steps.append(step)
      try await play(.pair(device: name))
      return try await sync(name)
    }
    player.judge(found, nil, name, step)
    scenario.steps.append(step)
    if found == nil { syncs += 1 }
  }

  private mutating func advance() {
    let minutes = Int64(Int.random(in: 1...longestPause, using: &random))
    now = now.advanced(by: minutes * Milliseconds.perMinute)
  }

  private mutating func play(_ action: Scenario.Action) async throws {
    advance()
    let step = Scenario.Step(at: now, action: action)
    scenario.steps.append(step)
    _ = try await player.play(step)
  }

  private mutating func mishap(_ device: Player.Device) -> Scenario.Action? {
    let place: Scenario.Machine
    switch mishaps {
    case .none: return nil
    case .server: place = .server
    case .devices:
      if Int.random(in: 0..<3, using: &random) == 0,
        player.devices.count < Scenario.Limits.devices
      {
        return .copy(from: device.name, to: "copy \(player.devices.count)")
      }
      place = .device(device.name)
    }
    if backups.contains(place), Bool.random(using: &random) { return .putBack(place) }
    backups.insert(place)
    return .backUp(place)
  }

  // MARK: - Edits

  private mutating func edit(on device: Player.Device) throws -> Scenario.Edit? {
    let holding = try Holding(device.replica)
    let fasts = holding.live.filter { $0.key.kind == .session }
    let water = holding.live.filter { $0.key.kind == .water }
    switch Int.random(in: 0..<12, using: &random) {
    case 0...1:
      if let open = fasts.filter({ $0.item.fast?.span.outcome == .active })
        .randomElement(using: &random)
      {
        return .finish(
          player.book.name(open.key), ended: nil, isCompleted: Bool.random(using: &random))
      }
      return .start(
        "fast \(scenario.steps.count + 1)", began: nil,
        targetMinutes: Int.random(in: 720...1200, using: &random))
    case 2...4:
      return fasts.randomElement(using: &random).map { fast in
        var change = Scenario.FastChange()
        change.targetMinutes = Int.random(in: 720...1200, using: &random)
        return .correctFast(player.book.name(fast.key), change)
      }
    case 5...6:
      return .drink(
        ["glass \(scenario.steps.count + 1)"],
        millilitres: Int.random(in: 50...900, using: &random), at: nil)
    case 7...8:
      return water.randomElement(using: &random).map { entry in
        .correctWater(
          player.book.name(entry.key), millilitres: Int.random(in: 50...900, using: &random),
          at: nil)
      }
    case 9:
      return (fasts + water).randomElement(using: &random).map { record in
        .delete([player.book.name(record.key)])
      }
    case 10:
      return Self.settings.randomElement(using: &random).map { key in
        .set(key: key, value: "\(Int.random(in: 12...20, using: &random))")
      }
    default: return try bringBack(holding)
    }
  }

  private mutating func bringBack(_ holding: Holding) throws -> Scenario.Edit? {
    guard let entry = holding.journal.randomElement(using: &random),
      let from = player.writers.only(entry.conflict.lost.stamp.replica),
      let field = Scenario.FieldName(entry.conflict)
    else { return nil }
    // A scenario identifies an entry by record, field and device, so the entry must be the only
    // one.
    let alike = holding.journal.count {
      $0.conflict.key == entry.conflict.key && $0.conflict.field == entry.conflict.field
        && player.writers.isPossible(from, $0.conflict.lost.stamp.replica)
    }
    guard alike == 1 else { return nil }
    return .bringBack(
      Scenario.JournalChoice(
        record: player.book.name(entry.conflict.key), field: field, from: from))
  }
}
