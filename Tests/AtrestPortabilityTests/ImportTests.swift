// SPDX-License-Identifier: Apache-2.0
// Importing files into a replica: atomic, idempotent, and never replacing newer data.

import AtrestClient
import AtrestDomain
import AtrestFoundation
import AtrestFuzzing
import AtrestPortability
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

import struct AtrestReplication.Record

/// A clock that does not advance until it is set.
private struct Clock: WallClock {
  var time = later
  func now() -> WallTime { WallTime(milliseconds: time.milliseconds) }
}

@Suite("Bringing files in", .timeLimit(.minutes(20)))
struct ImportTests {
  /// A replica in a temporary folder.
  private struct Home {
    let folder: Folder
    let replica: Replica

    init(now: WallTime = later) throws {
      folder = try Folder()
      replica = try Replica(
        directory: folder.url.appendingPathComponent("replica"), clock: Clock(time: now))
    }

    func waiting() throws -> Int { try replica.status().pendingCount }
  }

  @Test("an export comes in as ordinary writes, and the same file again writes nothing")
  func idempotent() throws {
    let home = try Home()
    let file = try Portability.parse(Example.export.bytes())
    let preview = try home.replica.preview(file)
    #expect(preview.total.new == 12)
    #expect(try home.waiting() == 0)
    let first = try home.replica.import(file)
    #expect(first == preview)
    #expect(try home.replica.sessions().count == 12)
    #expect(try home.waiting() == 12)

    let (digest, pending) = (try home.replica.digest(), try home.replica.pending())
    let again = try home.replica.import(file)
    #expect(again.total.known == 12 && !again.changesAnything)
    #expect(try home.replica.digest() == digest)
    #expect(try home.replica.pending() == pending)
  }

  @Test("what came in is one action, and can be taken back as one unless it is very much")
  func undo() throws {
    let home = try Home()
    let glass = WaterEntry(
      id: RecordUUID.random(),
      intake: try #require(.init(at: later.advanced(bySeconds: -60), millilitres: 250)))
    try home.replica.transaction { store in try store.action(.water) { try store.save(glass) } }
    try home.replica.import(Portability.parse(Example.export.bytes()))
    let undone = try #require(try home.replica.transaction { try $0.undo() })
    #expect(undone.action == .import && undone.isUndone && undone.changes.count == 12)
    #expect(try home.replica.sessions().isEmpty && home.replica.water() == [glass])

    let many = try Home()
    for _ in 0...UserAction.recordLimit {
      try many.replica.save(WaterEntry(id: .random(), intake: glass.intake))
    }
    let bytes = try many.replica.export().bytes
    try home.replica.import(Portability.parse(bytes))
    let refused = try #require(try home.replica.transaction { try $0.undo() })
    #expect(refused.action == .import && !refused.isUndone && refused.changes.isEmpty)
    #expect(try home.replica.water().count == UserAction.recordLimit + 2)
  }

  @Test("what an undone import brought is new to the next one, for as long as actions are kept")
  func undone() throws {
    let home = try Home()
    let glass = WaterEntry(
      id: .random(), intake: try #require(.init(at: later, millilitres: 250)))
    try home.replica.transaction { store in try store.action(.water) { try store.save(glass) } }
    let file = try Portability.parse(Example.export.bytes())
    try home.replica.import(file)
    _ = try home.replica.transaction { try $0.undo() }
    #expect(try home.replica.preview(file).total.new == 12)
    // What was done before can be undone, too.
    let earlier = try #require(try home.replica.transaction { try $0.undo() })
    #expect(earlier.action == .water && earlier.isUndone)
    #expect(try home.replica.preview(file).total.new == 12)
    let month = UserAction.retentionMilliseconds + 1
    let muchLater = try Replica(
      directory: home.folder.url.appendingPathComponent("replica"),
      clock: Clock(time: later.advanced(by: month)))
    #expect(try muchLater.preview(file).total.deletedHere == 12)
  }

  @Test("our own export, brought into an empty replica, shows the same; then nothing is left to do")
  func roundTrip() throws {
    for seed in UInt64(1)...10 {
      var random = SeededRandom(seed: seed)
      let records = random.records(0...60)
      let bytes = AtrestExport.write(
        records, madeAt: later, program: "1", stamps: random.oneIn(2)
      ).bytes
      let home = try Home()
      try home.replica.import(Portability.parse(bytes))
      func visible(_ records: [Record]) -> [RecordKey: [FieldNumber: [UInt8]]] {
        let pairs = records.filter { !$0.isDeleted }.map { record in
          (
            record.key,
            Dictionary(uniqueKeysWithValues: record.registers.map { ($0.field, $0.value) })
          )
        }
        return Dictionary(uniqueKeysWithValues: pairs)
      }
      let held = try home.replica.allRecords()
      #expect(visible(held) == visible(records), "seed \(seed)")

      let digest = try home.replica.digest()
      try home.replica.import(Portability.parse(home.replica.export(stamps: true).bytes))
      #expect(try home.replica.digest() == digest, "seed \(seed)")
    }
  }

  @Test("the export of a replica that was sent odd records comes into an empty one")
  func odd() throws {
    for seed in UInt64(1)...20 {
      var random = SeededRandom(seed: seed)
      let odd = random.shapedRecords(1...10)
      let taken = Set(odd.map(\.key))
      let records = odd + random.records(1...10).filter { !taken.contains($0.key) }
      let live = records.filter { !$0.isDeleted }.count
      let bytes = AtrestExport.write(records, madeAt: later, program: "1").bytes
      let home = try Home()
      let report = try home.replica.import(Portability.parse(bytes))
      #expect(report.total.total == live, "seed \(seed)")
      #expect(try home.replica.allRecords().count == report.total.new, "seed \(seed)")
      #expect(try home.replica.import(Portability.parse(bytes)).changesAnything == false)
    }
  }

  @Test("an entry of the future refuses the whole file")
  func atomic() throws {
    let home = try Home(now: WallTime(seconds: 1_735_900_000))
    let file = try Portability.parse(Example.export.bytes())
    #expect(throws: PortabilityError.impossible(.entry(2), .inTheFuture)) {
      try home.replica.import(file)
    }
    #expect(try home.replica.allRecords().isEmpty)
    #expect(try home.waiting() == 0)
  }

  @Test(
    "what was corrected here stays, what was deleted here stays deleted, unless the person says otherwise"
  )
  func differing() throws {
    let home = try Home()
    let file = try Portability.parse(Example.export.bytes())
    try home.replica.import(file)
    var sessions = try home.replica.sessions()
    let original = sessions
    sessions[0].targetMinutes = 77
    try home.replica.save(sessions[0])
    try home.replica.delete(RecordKey(kind: .session, id: sessions[1].id.bytes))
    let digest = try home.replica.digest()

    let careful = try home.replica.import(file)
    #expect(careful.total.kept == 1 && careful.total.deletedHere == 1)
    #expect(careful.total.known == 10)
    #expect(try home.replica.digest() == digest)

    let told = try home.replica.import(file, preferFile: true)
    #expect(told.total.updated == 2)
    #expect(try home.replica.sessions() == original)
    #expect(try home.replica.import(file, preferFile: true).changesAnything == false)
  }

  @Test("stamps say which side is newer, field by field; no import deletes")
  func stamped() throws {
    let old = WallTime(seconds: 1_700_000_000)
    let home = try Home(now: old)
    let other = try Home(now: old)
    let span = try #require(Session.Span(start: old, end: nil, outcome: .active))
    let session = Session(id: .random(), span: span, targetMinutes: 960)
    try home.replica.save(session)
    try other.replica.save(session)

    // Written later on another device.
    let newer = try Replica(directory: other.replica.directory, clock: Clock())
    var changed = session
    changed.targetMinutes = 1200
    try newer.save(changed)
    try home.replica.setPreference("a", to: "here")
    let bytes = try newer.export(stamps: true).bytes
    #expect(try home.replica.import(Portability.parse(bytes)).total.updated == 1)
    #expect(try home.replica.session(session.id)?.targetMinutes == 1200)
    #expect(try home.replica.preference("a") == "here")

    // Conversely, the file is older.
    changed.targetMinutes = 1300
    let latest = try Replica(
      directory: home.replica.directory, clock: Clock(time: later.advanced(bySeconds: 60)))
    try latest.save(changed)
    #expect(try latest.import(Portability.parse(bytes)).total.kept == 1)
    #expect(try latest.session(session.id)?.targetMinutes == 1300)

    // Without stamps it is unknown which is newer.
    let plain = try newer.export().bytes
    #expect(try latest.import(Portability.parse(plain)).total.kept == 1)
  }

  @Test(
    "a fast that goes on comes in once, only between fasts, and ends when a later file has its end")
  func active() throws {
    let file = try Portability.parse(Example.state.bytes())
    let saved = try #require(file.active)
    let now = saved.start.advanced(bySeconds: 3600)
    let home = try Home(now: now)
    #expect(try home.replica.import(file).active == .new)
    let active = try #require(Fasting(try home.replica.sessions()).active)
    #expect(active.span.start == saved.start)
    #expect(active.targetMinutes == 960)
    #expect(try home.replica.import(file).active == .known)
    #expect(try home.replica.sessions().count == 13)

    // Another device creates the same record from the file.
    let other = try Home(now: now)
    try other.replica.import(file)
    #expect(Fasting(try other.replica.sessions()).active?.id == active.id)

    // An active fast is left out, and so is a pruned one.
    let busy = try Home(now: now)
    let span = try #require(Session.Span(start: now, end: nil, outcome: .active))
    try busy.replica.save(Session(id: .random(), span: span, targetMinutes: 960))
    #expect(try busy.replica.import(file).active == .anotherGoesOn)
    #expect(try busy.replica.sessions().count == 13)
    let late = try Home(now: saved.start.advanced(bySeconds: 14 * 86_400 + 1))
    #expect(try late.replica.import(file).active == .tooLong)

    // The app writes the end under a separate ID.
    let end = Session(
      id: RecordUUID.random(),
      span: try #require(
        Session.Span(
          start: saved.start, end: saved.start.advanced(bySeconds: 16 * 3600), outcome: .completed)),
      targetMinutes: 960)
    let ended = try Portability.parse(IOSExport.write([end], madeAt: later).bytes)
    let evening = try Replica(directory: home.replica.directory, clock: Clock())
    #expect(try evening.import(ended).finished == 1)
    func outcomes() throws -> [Session.Outcome: Int] {
      Dictionary(try evening.sessions().map { ($0.span.outcome, 1) }, uniquingKeysWith: +)
    }
    #expect(try outcomes() == [.completed: 13, .abandoned: 1])
    #expect(try evening.import(file).active == .known)
    #expect(try evening.import(ended).changesAnything == false)
    #expect(try outcomes() == [.completed: 13, .abandoned: 1])
    // A deletion would count once its payload is pruned.
    #expect(try evening.allRecords().allSatisfy { !$0.isDeleted })
  }

  @Test("a fast that came in open and ended here is one with the app's, under whatever id")
  func endedHere() throws {
    let file = try Portability.parse(Example.state.bytes())
    let saved = try #require(file.active)
    let home = try Home(now: saved.start.advanced(bySeconds: 3600))
    try home.replica.import(file)
    func end(_ hours: Double) -> WallTime { saved.start.advanced(bySeconds: hours * 3600) }
    func export(_ hours: Double) throws -> ImportFile {
      let span = try #require(
        Session.Span(start: saved.start, end: end(hours), outcome: .completed))
      let session = Session(id: .random(), span: span, targetMinutes: 960)
      return try Portability.parse(IOSExport.write([session], madeAt: later).bytes)
    }
    let evening = try Replica(directory: home.replica.directory, clock: Clock())
    let here = try Fasting(try evening.sessions()).complete(at: end(15))
    try evening.save(here)

    #expect(try evening.import(export(15)).total.known == 1)
    let other = try evening.import(export(16))
    #expect(other.total.kept == 1 && !other.changesAnything)
    #expect(try evening.import(export(16), preferFile: true).total.updated == 1)
    #expect(try evening.session(here.id)?.span.end == end(16))
    #expect(try evening.sessions().count == 13)

    try evening.delete(RecordKey(kind: .session, id: here.id.bytes))
    #expect(try evening.import(export(16)).total.deletedHere == 1)
    #expect(try evening.sessions().count == 12)
  }

  @Test("a fast that is here to the millisecond is known to a file that has seconds")
  func seconds() throws {
    let home = try Home()
    let start = WallTime(milliseconds: 1_700_000_000_999)
    let end = WallTime(milliseconds: start.milliseconds + 16 * 3_600_000 + 1)
    let span = try #require(Session.Span(start: start, end: end, outcome: .completed))
    try home.replica.save(Session(id: .random(), span: span, targetMinutes: 961))
    let digest = try home.replica.digest()
    let file = try Portability.parse(home.replica.exportForIOS().bytes)
    #expect(try home.replica.import(file, preferFile: true).total.known == 1)
    #expect(try home.replica.digest() == digest)
  }

  @Test(
    "a purchase goes through the door for purchases, and the journal stays where it was written")
  func special() throws {
    let home = try Home()
    let fact = try #require(EntitlementField.record(jws: AtrestExportTests.purchase))
    let bytes = AtrestExport.write([fact], madeAt: later, program: "1").bytes
    try home.replica.import(Portability.parse(bytes))
    #expect(try home.replica.record(fact.key) == fact)
    #expect(try home.replica.import(Portability.parse(bytes)).total.known == 1)

    let journal = Sealed.file([#"{"kind":"conflict","id_base64":"AA==","raw":{"2":"EgA="}}"#])
    let report = try home.replica.import(Portability.parse(journal))
    #expect(report.total.leftOut == 1 && !report.changesAnything)
    #expect(try home.replica.allRecords().count == 1)
  }

  @Test("the number of completed fasts follows from the fasts, and no file adds to it")
  func count() throws {
    let home = try Home()
    let names: [Example] = [.export, .state, .export, .state]
    for name in names { try home.replica.import(Portability.parse(name.bytes())) }
    let completed = try home.replica.sessions().filter { $0.span.outcome == .completed }
    #expect(completed.count == 12)
  }
}
