// SPDX-License-Identifier: Apache-2.0
// The real stores on a faulty disk: every call in which a machine can end, and the state
// afterwards.

import AtrestClient
import AtrestReplication
import AtrestServer
import Foundation
import Testing

@testable import AtrestSimulation

@Suite("Stores on a simulated disk", .timeLimit(.minutes(20)))
struct DiskTests {
  private func open(_ disk: SimulatedDisk) throws -> SQLiteStore {
    try SQLiteStore(
      uri: disk.uri("atrest.db"), checkpointPages: 8,
      random: { UInt64.random(in: 1 ... .max) })
  }

  private func names(_ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction throws(StoreError) in
      try transaction.accounts.list().map(\.name)
    }
  }

  private func add(_ name: String, to store: SQLiteStore) -> Bool {
    do throws(StoreError) {
      try store.transaction { transaction throws(StoreError) in
        _ = try transaction.accounts.add(name: name, created: WallTime(milliseconds: 1))
      }
      return true
    } catch {
      return false
    }
  }

  @Test("what a commit returned for is there after the power went, wherever it went")
  func powerLoss() throws {
    for call in 1...60 {
      let disk = SimulatedDisk(seed: UInt64(call))
      var committed: [String] = []
      do {
        let store = try open(disk)
        disk.end(after: call, .powerLost)
        for number in 10..<30 where add("account \(number)", to: store) {
          committed.append("account \(number)")
        }
        // Closing would make everything durable.
        withExtendedLifetime(store) { disk.end(.powerLost) }
      }
      disk.start()
      let found = try names(open(disk))
      // The transaction in progress may or may not be there.
      #expect(found == committed || found.dropLast() == committed[...], "call \(call)")
    }
  }

  @Test("what a start shows stays, though the commit before it never returned")
  func killedInsideCommit() throws {
    for call in 1...60 {
      let disk = SimulatedDisk(seed: UInt64(call))
      do {
        let store = try open(disk)
        disk.end(after: call, .killed)
        for number in 10..<30 { _ = add("account \(number)", to: store) }
        withExtendedLifetime(store) { disk.end(.killed) }
      }
      disk.start()
      let shown: [String]
      do {
        let store = try open(disk)
        shown = try names(store)
        withExtendedLifetime(store) { disk.end(.powerLost) }
      }
      disk.start()
      #expect(try names(open(disk)) == shown, "call \(call)")
    }
  }

  private func openReplica(_ disk: SimulatedDisk) throws -> Replica {
    try Replica(
      uri: disk.uri("replica.sqlite"), clock: SimulatedClock(Scheduler()), checkpointPages: 8,
      pageRecords: 10, random: { UInt64.random(in: 1 ... .max) }, waiting: { $0() })
  }

  @Test("what a replica shows after a start stays, though the commit before it never returned")
  func replicaKilledInsideCommit() throws {
    for call in 1...60 {
      let disk = SimulatedDisk(seed: UInt64(call))
      do {
        let replica = try openReplica(disk)
        disk.end(after: call, .killed)
        for number in 10..<30 { try? replica.setPreference("number", to: "\(number)") }
        withExtendedLifetime(replica) { disk.end(.killed) }
      }
      disk.start()
      let shown: DeviceView
      do {
        let replica = try openReplica(disk)
        shown = try DeviceView(replica)
        withExtendedLifetime(replica) { disk.end(.powerLost) }
      }
      disk.start()
      #expect(try DeviceView(openReplica(disk)) == shown, "call \(call)")
    }
  }

  @Test("a full disk refuses and loses nothing")
  func full() throws {
    let disk = SimulatedDisk(seed: 1)
    let store = try open(disk)
    #expect(add("before", to: store))
    disk.fill(after: 0)
    // The write-ahead log has space left from before its checkpoint.
    let taken = (10..<99).map { "full \($0)" }.filter { add($0, to: store) }
    #expect(taken.count < 60)
    disk.fill(after: nil)
    #expect(add("room", to: store))
    #expect(try names(store) == ["before"] + taken + ["room"])
  }
}
