// SPDX-License-Identifier: Apache-2.0
// When the server writes its notes about devices: their last calls and their positions.

import AtrestHTTP2
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct DeviceNotesTests {
  @Test("what was noted of devices and could not be written is written with the next commit")
  func notesPutBack() async throws {
    let storage = try Storage()
    let start = try await storage.exchange(phone, request(nil, water(1))).cursor
    func call(_ device: ReplicaID) {
      _ = storage.registry.authenticate(
        credentials(device), at: WallTime(milliseconds: storage.world.now))
    }
    for device in [phone, tablet] { call(device) }
    _ = try await storage.exchange(tablet, request(start))
    storage.failFlush { () throws(StoreError) in throw .failed(reason: "planted") }
    await #expect(throws: Status.self) {
      try await storage.exchange(phone, request(start, water(2)))
    }
    // The phone calls again before the notes are written. The later time counts.
    storage.world.now += 60_000
    call(phone)
    storage.failFlush(nil)
    _ = try await storage.exchange(phone, request(start, water(2)))
    let devices = Recorder<[DeviceEntry]>()
    let look = Operation(by: .server, use: .reads) { batch throws(StoreError) in
      try batch.transaction.devices.list(of: nil)
    } completion: { result, _ in
      devices.note((try? result.get()) ?? [])
    }
    #expect(storage.queue.submit(look))
    // Read before closing the queue, which also writes the notes.
    let entries = try await devices.next()
    func entry(_ device: ReplicaID) -> DeviceEntry? { entries.first { $0.replica == device } }
    #expect(entry(phone)?.seen == WallTime(milliseconds: noon + 60_000))
    #expect(entry(tablet)?.seen == WallTime(milliseconds: noon))
    #expect(
      entry(tablet)?.progress == DeviceProgress(acknowledgedSequence: 1, toldSequence: 1))
    await storage.queue.close()
  }

  @Test("what a device acknowledged of a history that is lost does not count in the next one")
  func restarted() async throws {
    let storage = try Storage()
    let head = try await storage.exchange(phone, request(nil, water(1))).cursor
    _ = try await storage.exchange(tablet, request(head))
    let session = try storage.session(tablet)
    #expect(session.progress.acknowledgedSequence == 1)
    let other = Cursor(commit: head.commit &+ 1, sequence: 1)
    #expect(try await storage.exchange(tablet, request(other)).restarted)
    #expect(
      session.progress == DeviceProgress(acknowledgedSequence: 0, toldSequence: 1))
    await storage.queue.close()
  }

  @Test("notes that are put back do not take the place of newer ones, and are taken once")
  func newerNotes() throws {
    let storage = try Storage()
    let (registry, session) = (storage.registry, try storage.session(phone))
    let address = session.account.id[phone]
    func call(at time: Int64) {
      _ = registry.authenticate(credentials(phone), at: WallTime(milliseconds: time))
    }
    call(at: noon)
    registry.note(told: 2, acknowledged: 1, of: session)
    let notes = registry.takeNotes()
    #expect(registry.takeNotes().seen.isEmpty && registry.takeNotes().progress.isEmpty)
    registry.putBack(notes)
    call(at: noon + 60_000)
    registry.note(told: 3, acknowledged: 2, of: session)
    let newer = registry.takeNotes()
    registry.note(told: 3, acknowledged: 3, of: session)
    registry.putBack(newer)
    let last = registry.takeNotes()
    #expect(last.seen == [address: WallTime(milliseconds: noon + 60_000)])
    #expect(
      last.progress == [address: DeviceProgress(acknowledgedSequence: 3, toldSequence: 3)])
  }

  @Test("when a device last called is written with a later commit, at most once a minute")
  func seen() async throws {
    let storage = try Storage()
    func authenticate() {
      _ = storage.registry.authenticate(
        credentials(phone), at: WallTime(milliseconds: storage.world.now))
    }
    authenticate()
    storage.world.now += 59_999
    authenticate()
    _ = try await storage.exchange(tablet, request(nil, water(1)))
    storage.world.now += 1
    authenticate()
    await storage.queue.close()
    let store = try openStore(storage.folder)
    defer { store.close() }
    let devices = try store.transaction { t throws(StoreError) in try t.devices.list(of: nil) }
    #expect(devices.first { $0.replica == phone }?.seen == WallTime(milliseconds: noon + 60_000))
    #expect(devices.first { $0.replica == tablet }?.seen == nil)
  }
}
