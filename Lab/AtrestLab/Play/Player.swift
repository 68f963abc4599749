// SPDX-License-Identifier: Apache-2.0
// Plays a scenario step by step with real replicas and a real server.

import AtrestClient
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

/// Plays one scenario. Single use, from one task.
package struct Player {
  /// The server to play on.
  package enum Ground: Sendable {
    /// A server in this process with the scenario's clock.
    case own
    /// A running server; the link must be for an empty account.
    case given(PairingLink)
  }

  /// One device of the scenario.
  struct Device {
    let name: String
    let clock: DeviceClock
    var replica: Replica
    var folder: URL
    var isPaired = false
    var isOffline = false
    /// The backup, if any.
    var backup: URL?
  }

  let ground: Ground
  let start: WallTime
  let zone: ZoneOffsets
  let folder: LabFolder
  let clock: LabClock
  let random: LabRandom
  var server: LabServer?
  var devices: [Device] = []
  var book = RecordBook()
  var writers = Writers()
  var ledger = Ledger()
  var report: Report
  private var folders = 0

  /// A server's housekeeping acts after gaps this long, and a given server cannot be advanced: 30
  /// days, in milliseconds.
  static let longGap = 30 * Milliseconds.perDay

  /// Plays a scenario to its end, or to a step that cannot be played.
  ///
  /// - Parameters:
  ///   - file: The file's name in the report.
  ///   - seed: Determines all random identities; equal seeds give equal runs.
  ///   - isVerbose: Whether to report each device's contents at every sync.
  /// - Throws: `LabError`, `ReplicaError` or `SyncError` if the lab itself fails, wrapped in a
  ///   `StepError` if at a step. A failed expectation is reported, not thrown.
  package static func play(
    _ scenario: Scenario, file: String, on ground: Ground = .own, seed: UInt64 = 1,
    isVerbose: Bool = false
  ) async throws -> Report {
    if case .given = ground { try checkGiven(scenario, file) }
    var player = try await Player(
      scenario, file: file, on: ground, seed: seed, isVerbose: isVerbose)
    do {
      for step in scenario.steps {
        try Task.checkCancellation()
        do {
          guard try await player.play(step) else { break }
        } catch  where !(error is CancellationError) && step.line > 0 {
          throw StepError(file: file, line: step.line, cause: error)
        }
      }
      try player.conclude()
    } catch {
      await player.close()
      throw error
    }
    await player.close()
    return player.report
  }

  init(
    _ scenario: Scenario, file: String, on ground: Ground, seed: UInt64, isVerbose: Bool
  ) async throws {
    self.ground = ground
    start = scenario.start
    zone = ZoneOffsets(scenario.zone)
    folder = try LabFolder()
    clock = LabClock(scenario.start)
    random = LabRandom(seed: seed)
    report = Report(scenario, file: file, isVerbose: isVerbose)
    do {
      if case .own = ground {
        let clock = clock
        server = try await LabServer(in: folder.url, now: { clock.now }, random: random)
      }
      for setup in scenario.devices {
        try addDevice(setup.name, clock: setup.clock, from: nil)
        if setup.isPaired { try await pair(devices.count - 1) }
      }
    } catch {
      await close()
      throw error
    }
  }

  mutating func close() async {
    await server?.stop()
    server = nil
  }

  /// Rejects scenarios with steps that a given server does not support.
  private static func checkGiven(_ scenario: Scenario, _ file: String) throws(LabError) {
    var last = scenario.start
    for step in scenario.steps {
      let what: String? =
        switch step.action {
        case .backUp(.server), .putBack(.server): "the server's own disk"
        case .restartServer: "the server's own process"
        default: nil
        }
      if let what {
        throw .given(
          "\(file):\(step.line): this needs \(what), so the scenario plays on the lab's own server only. Leave `--pair` out."
        )
      }
      if step.at.milliseconds(since: last) >= longGap {
        throw .given(
          "\(file):\(step.line): here 30 days or more pass, and the given server's clock cannot. Leave `--pair` out."
        )
      }
      last = step.at
    }
  }

  /// Plays one step.
  ///
  /// - Returns: Whether the next one can be played.
  mutating func play(_ step: Scenario.Step) async throws -> Bool {
    clock.set(step.at)
    if case .given = ground {
      // The given server has a real clock, and the order of two stamps of one millisecond would be
      // random.
      try await Task.sleep(for: .milliseconds(3))
    }
    switch step.action {
    case .edit(let name, let edit):
      return try play(edit, on: index(name), step)
    case .sync(let names, let allowsMassDeletion, let failure):
      for name in names {
        let found = try await sync(index(name), step, allowsMassDeletion: allowsMassDeletion)
        judge(found?.kind, failure, name, step)
      }
    case .network(let names, let isOnline):
      for name in names {
        devices[index(name)].isOffline = !isOnline
        report.add(step, who: name, isOnline ? "has the network back" : "loses the network")
      }
    case .clock(let name, let error):
      devices[index(name)].clock.error = error
      report.add(step, who: name, LabWords.clockIsSet(error, zone))
    case .copy(let from, let to):
      let source = index(from)
      try addDevice(to, clock: devices[source].clock.error, from: devices[source].folder)
      devices[devices.count - 1].isPaired = devices[source].isPaired
      try learnIdentity(devices.count - 1)
      ledger.copy(from: from, to: to)
      report.add(step, who: to, "is a copy of \(from)")
    case .backUp(let place):
      try await backUp(place)
      report.add(step, who: place.name, "a copy of its data is put aside")
    case .putBack(let place):
      try await putBack(place)
      report.add(step, who: place.name, "the copy takes the place of its data")
    case .restartServer:
      try await server?.restart()
      report.add(step, who: "server", "stops and starts")
    case .pair(let name):
      guard !devices[index(name)].isOffline else {
        report.add(step, who: name, "cannot join the account")
        report.fail(
          step.line, "\(name) has no network, and joining takes one. The scenario ends here.")
        return false
      }
      let isMember = devices[index(name)].isPaired
      if isMember { try devices[index(name)].replica.unpair() }
      try await pair(index(name))
      report.add(step, who: name, isMember ? "joins the account again" : "joins the account")
    case .wait:
      report.add(step, who: "", "time passes")
    case .expect(let expectation):
      try check(expectation, step)
    }
    try server?.check()
    return true
  }

  // MARK: - Devices

  func index(_ name: String) -> Int {
    guard let index = devices.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("the parser knows which devices there are")
    }
    return index
  }

  private mutating func newFolder() -> URL {
    folders += 1
    return folder.url.appendingPathComponent("device\(folders)", isDirectory: true)
  }

  mutating func addDevice(_ name: String, clock error: ClockError, from source: URL?) throws {
    let base: @Sendable () -> WallTime
    switch ground {
    case .own:
      let clock = clock
      base = { clock.now }
    case .given:
      let system = SystemClock()
      base = { system.now() }
    }
    let url = newFolder()
    if let source { try LabFolder.copy(source, to: url) }
    let deviceClock = DeviceClock(base, error: error)
    devices.append(
      Device(
        name: name, clock: deviceClock, replica: try Replica(directory: url, clock: deviceClock),
        folder: url))
  }

  mutating func pair(_ index: Int) async throws {
    let link: PairingLink
    switch ground {
    case .own:
      guard let made = try await server?.link() else { return }
      link = made
    case .given(let first):
      if let member = devices.first(where: \.isPaired) {
        link = try await member.replica.invite(withoutApproval: true).link
      } else {
        link = first
      }
    }
    let device = devices[index]
    try await device.replica.pair(link, name: device.name)
    if case .given = ground, !devices.contains(where: \.isPaired) {
      // Never play on somebody's real records.
      try await device.replica.sync()
      guard try device.replica.allRecords().isEmpty else {
        // Only a member can see the records, so the device is paired by now. Revoke it again.
        _ = try? await device.replica.revoke(try device.replica.status().replica)
        throw LabError.given(
          "\(report.file): that account holds records already, and a lab plays in an empty one only. Make an account for it."
        )
      }
    }
    devices[index].isPaired = true
    try learnIdentity(index)
  }

  mutating func learnIdentity(_ index: Int) throws(ReplicaError) {
    writers.note(try devices[index].replica.status().replica, devices[index].name)
  }

  private mutating func backUp(_ place: Scenario.Machine) async throws {
    switch place {
    case .server:
      try await server?.backUp()
      ledger.backUpServer()
    case .device(let name):
      let url = newFolder()
      let device = index(name)
      try LabFolder.copy(devices[device].folder, to: url)
      devices[device].backup = url
      ledger.backUp(name)
    }
  }

  private mutating func putBack(_ place: Scenario.Machine) async throws {
    switch place {
    case .server:
      try await server?.putBack()
      ledger.putBackServer()
    case .device(let name):
      let device = index(name)
      guard let backup = devices[device].backup else { return }
      // In a new directory: the old replica may close its files late.
      let url = newFolder()
      try LabFolder.copy(backup, to: url)
      devices[device].replica = try Replica(directory: url, clock: devices[device].clock)
      devices[device].folder = url
      ledger.putBack(name)
    }
  }
}
