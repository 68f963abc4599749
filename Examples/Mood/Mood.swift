// SPDX-License-Identifier: Apache-2.0
// An app with a kind of record of its own, on two devices: live changes, a conflict, a restore.
//
// Run it with Examples/Mood/run, which starts a server and makes a pairing link for each device.

import AtrestClient
import Foundation

/// How somebody felt one day. Level and note are merged apart.
struct Mood: SyncedRecord {
  static let kind = RecordKind(rawValue: 1024)
  var id = RecordUUID.random()
  var level: Int64
  var note: String

  var fields: RecordFields {
    var fields = RecordFields()
    fields[integer: 2] = level
    fields[text: 3] = note
    return fields
  }

  init(level: Int64, note: String) { (self.level, self.note) = (level, note) }

  init?(id: RecordUUID, fields: RecordFields) {
    guard let level = fields[integer: 2] else { return nil }
    (self.id, self.level, note) = (id, level, fields[text: 3] ?? "")
  }
}

@main
struct MoodApp {
  static func main() async {
    let links = CommandLine.arguments.dropFirst()
    guard links.count == 2, let first = links.first, let second = links.last else {
      print("Give two pairing links, one for each device: see Examples/Mood/run.")
      exit(64)
    }
    do {
      try await run(phoneLink: first, tabletLink: second)
    } catch let error as SyncError {
      print(error.userMessage)
      exit(1)
    } catch {
      print(error)
      exit(1)
    }
  }

  static func run(phoneLink: String, tabletLink: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let phone = try Replica(directory: folder.appendingPathComponent("phone"))
    let tablet = try Replica(directory: folder.appendingPathComponent("tablet"))
    try await phone.pair(PairingLink(parsing: phoneLink), name: "phone")
    try await tablet.pair(PairingLink(parsing: tabletLink), name: "tablet")

    // The tablet shows what changes, whoever changed it.
    var changes = tablet.changes.makeAsyncIterator()

    var mood = Mood(level: 3, note: "Slow morning")
    try await phone.save(mood)  // Durable; needs no network.
    try await phone.sync()
    try await tablet.sync()
    guard let change = await changes.next(), change.received == [mood.key],
      var same = try await tablet.record(of: Mood.self, mood.id)
    else { return print("The mood did not arrive.") }
    print("The tablet received “\(same.note)”, \(same.level) of 5.")

    // Both edit it without knowing of each other: different fields both win.
    mood.level = 4
    try await phone.save(mood)
    same.note = "Slow morning, long walk"
    try await tablet.save(same)
    try await phone.sync()
    try await tablet.sync()
    try await phone.sync()
    for mood in try await phone.records(of: Mood.self) {
      print("The phone shows “\(mood.note)”, \(mood.level) of 5.")
    }

    // The same field: the later write wins, and the other one is kept.
    mood = try await phone.record(of: Mood.self, mood.id) ?? mood
    mood.note = "A good day"
    try await phone.save(mood)
    same.note = "A day"
    try await tablet.save(same)
    try await phone.sync()
    try await tablet.sync()
    try await phone.sync()
    for entry in try await phone.conflicts() {
      let (lost, kept) = (entry.lostFields[text: 3] ?? "", entry.keptFields[text: 3] ?? "")
      print("“\(lost)” lost to “\(kept)”, and is written back.")
      try await phone.restore(entry)
    }
    try await phone.sync()
    try await tablet.sync()
    let both = try await (phone.records(of: Mood.self), tablet.records(of: Mood.self))
    print("Both show “\(both.0.first?.note ?? "")”: \(both.0.map(\.note) == both.1.map(\.note)).")
    print("Byte-identical: \(try phone.digest() == tablet.digest()).")
  }
}
