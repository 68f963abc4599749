// SPDX-License-Identifier: Apache-2.0
// Draws a history from a seed: the actions, their times, and the faults.

/// The history of a seed: everything that is decided before the simulation runs.
package struct History: Sendable {
  package let seed: UInt64
  /// The initial number of devices.
  package let devices: Int
  /// The number of devices of another account on the same server.
  let neighbours: Int
  /// Whether a page contains at most two records.
  let hasSmallPages: Bool
  package var steps: [Step]
  /// Where the server keeps its records.
  let store: StoreKind

  /// The parameters for drawing a history.
  package struct Plan: Sendable {
    package var devices = 3
    /// Steps per device.
    package var operations = 200
    /// The possible faults.
    package var faults = Fault.withstood
    /// Whether each seed has only some of them.
    package var isSwarm = true
    /// Whether a page contains at most two records.
    package var hasSmallPages = false
    /// The possible stores.
    package var stores = StoreKind.allCases
    package init() {}
  }

  /// Whether mass deletions wait for a person's confirmation.
  let holdsMassDeletions: Bool

  /// Whether another program writes, too.
  var hasForeigner: Bool {
    steps.contains { if case .foreignWrite = $0.action { true } else { false } }
  }

  /// Whether the quota of accounts changes.
  var setsQuotas: Bool {
    steps.contains { if case .quota = $0.action { true } else { false } }
  }

  package init(seed: UInt64, plan: Plan = Plan()) {
    self.seed = seed
    devices = plan.devices
    hasSmallPages = plan.hasSmallPages
    // Of its own: with another store, the history stays the same.
    var storeChance = Chance(seed ^ 0x5354_4F52_45)
    let drawn: StoreKind = storeChance.oneIn(4) ? .shared : .file
    store = plan.stores.contains(drawn) ? drawn : plan.stores.first ?? .file
    var chance = Chance(seed)
    // Swarm testing: a random subset of the faults, sometimes none or all.
    let share = chance.pick(0...4)
    let faults = Fault.allCases.filter { _ in chance.pick(1...4) <= share || !plan.isSwarm }
      .filter { plan.faults.contains($0) }
    neighbours = faults.contains(.neighbours) ? 2 : 0
    holdsMassDeletions = faults.contains(.massDeletion)
    let syncShare = chance.pick(8...40)
    let faultShare = faults.isEmpty ? 0 : chance.pick(4...25)
    let longest = chance.choose([50_000, 5_000_000, 600_000_000, 7_200_000_000]) ?? 1
    steps = []
    let count = plan.devices * plan.operations
    let devices = plan.devices + neighbours
    while steps.count < count {
      let device = chance.pick(0...plan.devices + neighbours - 1)
      let delay = Int64(chance.pickSkewed(0...longest))
      let dice = chance.pick(0...99)
      if dice < faultShare, let fault = chance.choose(faults) {
        let trouble = Self.trouble(fault, devices, &chance)
        // Two processes must run at the same time to interfere.
        let longestWait = fault == .twoProcesses ? 100_000 : 60_000_000
        for (index, action) in trouble.enumerated() {
          let target = fault == .badLink ? action.0 : device
          let wait = index == 0 ? delay : Int64(chance.pickSkewed(0...longestWait))
          steps.append(Step(delay: wait, device: target, action: action.1, salt: chance.next()))
        }
      } else if dice < faultShare + syncShare {
        let cuts =
          faults.contains(.cut)
          ? (0..<3).compactMap { _ in chance.oneIn(2) ? chance.pickSkewed(1...6_000) : nil } : []
        steps.append(
          Step(delay: delay, device: device, action: .sync(cuts: cuts), salt: chance.next()))
      } else {
        steps.append(Step(delay: delay, device: device, action: .edit, salt: chance.next()))
      }
    }
  }

  private static func trouble(
    _ fault: Fault, _ devices: Int, _ chance: inout Chance
  ) -> [(Int, Step.Action)] {
    let calls = chance.pickSkewed(1...60)
    switch fault {
    case .cut: return [(0, .sync(cuts: [chance.pickSkewed(1...6_000)]))]
    case .badLink: return badLinks(devices, &chance)
    case .deviceEnd:
      return [(0, chance.oneIn(2) ? .end(.killed) : .endInWrite(calls: calls, .killed))]
    case .devicePower:
      return [(0, chance.oneIn(2) ? .end(.powerLost) : .endInWrite(calls: calls, .powerLost))]
    case .serverEnd:
      return [(0, chance.oneIn(2) ? .endServer(.killed) : .endServerInWrite(calls: calls, .killed))]
    case .serverPower:
      return [
        (0, chance.oneIn(2) ? .endServer(.powerLost) : .endServerInWrite(calls: calls, .powerLost))
      ]
    case .fullDisk:
      let after = chance.oneIn(3) ? nil : chance.pickSkewed(0...40)
      return [(0, chance.oneIn(2) ? .full(after: after) : .serverFull(after: after))]
    case .failingDisk:
      return [
        (0, chance.oneIn(2) ? .diskSyncFails(after: calls) : .serverDiskSyncFails(after: calls))
      ]
    case .clock:
      // Even an outdated correction keeps stamps within the minute that a server tolerates.
      return [(0, .clock(offset: Int64(chance.pick(-25_000...25_000)), drift: 0))]
    case .wildClock:
      let years: Int64 = 3 * 365 * 86_400_000
      switch chance.pick(0...4) {
      case 0: return [(0, .clock(offset: 0, drift: 0))]
      case 1:
        return [(0, .clock(offset: Int64.random(in: -years...years, using: &chance), drift: 0))]
      case 2: return [(0, .clock(offset: -SimulatedClock.start, drift: 0))]
      case 3: return [(0, .clock(offset: Int64(chance.pick(-120_000...120_000)), drift: 0))]
      default: return [(0, .clock(offset: 0, drift: Int64(chance.pick(-50_000...50_000))))]
      }
    case .serverClock: return [(0, .serverClock(offset: Int64(chance.pick(-5_000...5_000))))]
    case .serverWildClock: return wildServerClock(&chance)
    case .neighbours: return []
    case .watch: return [(0, .watch(seconds: chance.pickSkewed(1...300)))]
    case .quota:
      let records = chance.oneIn(3) ? nil : chance.pickSkewed(5...150)
      return [(0, .quota(records: records)), (0, .endServer(.killed))]
    case .massDeletion: return [(0, chance.oneIn(4) ? .deleteMost : .sync(cuts: []))]
    case .unpair: return [(0, .unpair)]
    case .lostAnswers:
      return [
        (0, .edit), (0, .unheardSyncs(chance.oneIn(3) ? chance.pick(33...40) : 3)), (0, .edit),
      ]
    case .twoProcesses:
      return [(0, .edit), (0, .sync(cuts: [])), (0, .sync(cuts: [])), (0, .endOneSync)]
    case .slowLink: return [(0, .bandwidth(chance.oneIn(3) ? nil : 8_000))]
    case .replay: return [(0, .replay)]
    case .pause: return [(0, .pause(days: chance.pick(5...100)))]
    case .foreign: return [(0, .foreignWrite)]
    case .clone: return [(0, .clone)]
    case .deviceRestore: return [(0, chance.oneIn(2) ? .backUp : .putBack)]
    case .serverRestore: return [(0, chance.oneIn(2) ? .backUpServer : .putBackServer)]
    }
  }

  /// The server's clock steps by seconds, minutes, days or years in either direction, while it runs
  /// or while it is down.
  private static func wildServerClock(_ chance: inout Chance) -> [(Int, Step.Action)] {
    let unit: Int64 = chance.choose([1_000, 60_000, 86_400_000, 365 * 86_400_000]) ?? 1_000
    let most = unit > 86_400_000 ? 4 : 60
    let offset = chance.oneIn(4) ? 0 : unit * Int64(chance.pick(-most...most))
    let step = (0, Step.Action.serverClock(offset: offset))
    guard chance.oneIn(3) else { return [step] }
    // It restarts within seconds, with its clock as it then is.
    return [(0, .endServer(chance.oneIn(2) ? .killed : .powerLost)), step]
  }

  /// Breaks one link, or all of them one after another in random order, and restores them in
  /// another order.
  private static func badLinks(_ devices: Int, _ chance: inout Chance) -> [(Int, Step.Action)] {
    func well(_ device: Int, _ chance: inout Chance) -> (Int, Step.Action) {
      (device, .link(up: true, down: true, latency: chance.pickSkewed(100...3_000_000)))
    }
    func bad(_ device: Int, _ chance: inout Chance) -> (Int, Step.Action) {
      let up = chance.oneIn(3)
      return (device, .link(up: up, down: up ? false : chance.oneIn(2), latency: 40_000))
    }
    let all = Array(0..<devices)
    switch chance.pick(0...3) {
    case 0: return [bad(chance.pick(0...devices - 1), &chance)]
    case 1:
      let flapping = chance.pick(0...devices - 1)
      return (0..<3).flatMap { _ in [bad(flapping, &chance), well(flapping, &chance)] }
    case 2:
      return all.shuffled(using: &chance).map { bad($0, &chance) }
        + all.shuffled(using: &chance).map { well($0, &chance) }
    default: return [well(chance.pick(0...devices - 1), &chance)]
    }
  }
}

/// Where a server keeps its records.
package enum StoreKind: String, CaseIterable, Sendable {
  /// In a file of its own.
  case file
  /// In a database that several servers share: see `SharedDatabase`.
  case shared
}
