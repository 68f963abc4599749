// SPDX-License-Identifier: Apache-2.0
// One device: a disk, a clock, a link, and at times a program that runs on them.

import AtrestClient
import Foundation
import Replication
import SyncProtocol

/// A device, running or not.
final class Device {
  let index: Int
  /// The index of the device that it is, or is a copy of.
  let family: Int
  let disk: SimulatedDisk
  let clock: SimulatedClock
  let link = Link()
  /// The program, while it runs.
  var process: DeviceProcess?
  /// What the program held when it was ended between two writes; nil if it ended inside one.
  var heldAtEnd: DeviceView?
  /// A copy of the disk, made earlier.
  var backup: SimulatedDisk?
  /// Requests it sent lately.
  private(set) var requests: [RecordedRequest] = []
  /// Whether a write ended without an answer, and none was durable since.
  var isUncertain = false
  /// The stamp of its last action, unless a sync began since: that may stamp what waits again.
  var lastStamp: Stamp?
  /// Up to where its view was compared with the server's feed.
  var checked: UInt64?

  init(index: Int, family: Int, disk: SimulatedDisk, clock: SimulatedClock) {
    self.index = index
    self.family = family
    self.disk = disk
    self.clock = clock
  }

  func sent(_ request: RecordedRequest) {
    requests.append(request)
    if requests.count > 8 { requests.removeFirst() }
  }
}

/// Everything a replica has promised to keep.
struct DeviceView: Equatable {
  var records: [RecordKey: Record]
  var waiting: [PendingWrite]
  var cursor: Cursor?

  init(_ replica: Replica) throws(ReplicaError) {
    let all = try replica.allRecords()
    records = Dictionary(all.map { ($0.key, $0) }) { first, _ in first }
    waiting = try replica.pending()
    cursor = try replica.status().cursor
  }
}

/// The program on a device, from one start to its end.
final class DeviceProcess: @unchecked Sendable {
  // Sendable because a simulation has one thread.

  /// How a sync may end without anything being wrong with the program.
  enum Ending {
    case synced
    case failed(SyncError)
  }

  static let syncLimit = 2

  private let world: World
  let device: Device
  let replica: Replica
  private let randomness: Randomness
  private(set) var isAlive = true
  private var syncs: [Int: (task: Task<Void, Never>, transport: SimulatedTransport)] = [:]
  private var lastSync = 0

  init(_ world: World, _ device: Device, _ chance: Chance, checkpointPages: Int) throws {
    self.world = world
    self.device = device
    randomness = Randomness(chance)
    let scheduler = world.scheduler
    let randomness = randomness
    replica = try Replica(
      uri: device.disk.uri("replica.sqlite"), clock: device.clock, checkpointPages: checkpointPages,
      random: { max(1, randomness.number()) },
      waiting: { work in scheduler.after(Int64(randomness.number() % 3_000)) { work() } })
  }

  var syncCount: Int { syncs.count }

  /// Starts a sync, unless enough of them run.
  func sync(_ chance: Chance, _ done: @escaping (Ending) -> Void = { _ in }) {
    guard isAlive, syncs.count < Self.syncLimit else { return done(.failed(.cancelled)) }
    lastSync += 1
    device.lastStamp = nil
    let number = lastSync
    var chance = chance
    let token: String?
    do { token = try replica.token() } catch {
      world.failed(self, .replica(error))
      return done(.failed(.replica(error)))
    }
    let transport = SimulatedTransport(world, device, Chance(chance.next()), token: token)
    nonisolated(unsafe) let done = done
    let isPaired = token != nil
    let task = world.scheduler.task { [self] in
      var ending = Ending.synced
      do throws(SyncError) {
        if isPaired {
          try await engine(transport).sync(allowingMassDeletion: true)
        } else {
          try await pair(transport)
        }
      } catch {
        ending = .failed(error)
      }
      ended(number, transport, ending)
      done(ending)
    }
    syncs[number] = (task, transport)
  }

  private func engine(_ transport: SimulatedTransport) -> SyncEngine {
    var pacing = Pacing()
    let scheduler = world.scheduler
    let randomness = randomness
    pacing.attempts = 4
    pacing.random = { randomness.fraction() }
    pacing.sleep = { duration in
      try Task.checkCancellation()
      let (seconds, attoseconds) = duration.components
      await withUnsafeContinuation { continuation in
        scheduler.after(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) {
          continuation.resume()
        }
      }
      try Task.checkCancellation()
    }
    return SyncEngine(store: replica, transport: transport, clock: device.clock, pacing: pacing)
  }

  /// Asks the server's owner for a code, joins, and syncs.
  private func pair(_ transport: SimulatedTransport) async throws(SyncError) {
    let world = world
    let code = await withUnsafeContinuation { (waiting: UnsafeContinuation<String?, Never>) in
      var isOver = false
      let finish = { (code: String?) in
        guard !isOver else { return }
        isOver = true
        waiting.resume(returning: code)
      }
      // A server that ends meanwhile answers nobody.
      world.scheduler.after(5_000_000) { finish(nil) }
      if let server = world.server { server.invite(finish) } else { finish(nil) }
    }
    guard let code else { throw .unreachable("there is no code") }
    let answer = try await transport.pair(
      PairRequest(code: code, deviceName: "device \(device.index)"))
    guard isAlive else { throw .cancelled }
    do {
      if try replica.token() == nil { try replica.adopt(answer, server: "server:1") }
    } catch {
      throw .replica(error)
    }
    let paired = SimulatedTransport(world, device, Chance(randomness.number()), token: answer.token)
    defer { paired.close() }
    try await engine(paired).sync(allowingMassDeletion: true)
  }

  private func ended(_ number: Int, _ transport: SimulatedTransport, _ ending: Ending) {
    transport.close()
    syncs[number] = nil
    guard isAlive else { return }
    device.lastStamp = nil
    switch ending {
    case .synced: world.synced(self)
    case .failed(let error): world.failed(self, error)
    }
  }

  /// Ends the program and its machine.
  func end(_ how: SimulatedDisk.End) {
    guard isAlive else { return }
    isAlive = false
    device.disk.end(how)
    for number in syncs.keys.sorted() {
      syncs[number]?.transport.die()
      syncs[number]?.task.cancel()
    }
    syncs = [:]
    device.process = nil
  }
}
