// SPDX-License-Identifier: Apache-2.0
// What a program of another name, with kinds of its own, gets from the library.

import ArgumentParser
import AtrestCommandLine
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import Foundation
import Testing

@testable import AtrestClient
@testable import AtrestCompanion

@Suite("A second program", .timeLimit(.minutes(20)))
struct SecondProgramTests {
  private let context = CommandContext(now: WallTime(milliseconds: 1_790_000_000_000), zone: .utc)

  private func register(_ height: UInt8, by replica: UInt64) -> Register {
    Register(
      field: 2,
      stamp: Stamp(time: HybridTime(rawValue: replica), replica: ReplicaID(rawValue: replica)),
      value: [16, height])
  }

  private var conflict: Conflict {
    Conflict(
      key: RecordKey(kind: SproutVocabulary.sprout, id: [UInt8](repeating: 0xAB, count: 16)),
      field: 2, lost: register(40, by: 5), kept: register(60, by: 6), noticed: context.now)
  }

  @Test("has its own name in every help, and never that of another one")
  func help() {
    func visit(_ command: any ParsableCommand.Type) {
      #expect(command.configuration.commandName != nil, "\(command)")
      let text = Garden.helpMessage(for: command, columns: 80)
      let subcommands = command.configuration.subcommands
      if subcommands.isEmpty { #expect(text.contains("EXAMPLES:\n  garden "), "\(command)") }
      // Links begin with the protocol's name, whatever the program.
      let words = text.replacing("atrest://", with: "")
      #expect(!words.lowercased().contains("atrest"), "\(command)")
      subcommands.forEach(visit)
    }
    visit(Garden.self)
    #expect(Garden.helpMessage(for: SyncCommand<Garden>.self).contains("Otherwise GARDEN_REPLICA"))
    #expect(
      Garden.helpMessage(for: ReplicaCommand<Garden>.Dump.self).contains("you planted."))
  }

  @Test("names its own commands in what errors say, and explains errors of its own")
  func failures() throws {
    for error: any Error in [
      SyncError.accessEnded, SyncError.notLetIn, SyncError.massDeletion(count: 3, of: 4),
    ] {
      let failure = try #require(Garden.failure(of: error))
      #expect(failure.sentence.contains("`garden "), "\(failure.sentence)")
    }
    #expect(Garden.failure(of: Garden.Drought())?.status == .temporary)
    #expect(Garden.failure(of: ValidationError("no")) == nil)
  }

  @Test("names records of its own and those of other programs")
  func words() throws {
    let words = Garden.recordWords
    #expect(words.name(of: SproutVocabulary.sprout) == "sprout")
    #expect(words.name(of: .session) == "session")
    #expect(words.noun(RecordKind(rawValue: 1901)) == "a record of a newer version")
    #expect(words.name(of: 2, in: SproutVocabulary.sprout) == "height")
    #expect(words.name(of: 9, in: SproutVocabulary.sprout) == "field_9")
    #expect(words.name(of: Register.deletedField, in: SproutVocabulary.sprout) == "deleted")
    #expect(words.id(of: conflict.key) == "abababab-abab-abab-abab-abababababab")
    var record = Record(key: conflict.key)
    record.set(conflict.kept)
    #expect(words.noun(conflict.key, record, context) == "a sprout, 60 mm high")
    let value = words.value(of: conflict.kept, in: conflict.key.kind)
    #expect(try JSON.line(value) == #"{"millimetres":60}"#)
  }

  @Test("counts records, and writes them in words into an export")
  func exported() throws {
    let words = Garden.recordWords
    #expect(words.count(1, SproutVocabulary.sprout) == "1 sprout")
    #expect(words.count(12, SproutVocabulary.sprout) == "12 sprouts")
    #expect(words.count(1, .entitlement) == "1 purchase")
    #expect(words.count(2, .water) == "2 water entries")
    #expect(words.count(1, RecordKind(rawValue: 1901)) == "1 record of a newer version")
    #expect(words.count(0, RecordKind(rawValue: 1901)) == "0 records of a newer version")

    var record = Record(key: conflict.key)
    record.set(conflict.kept)
    record.set(Register(field: Register.deletedField, stamp: conflict.kept.stamp, value: []))
    record.set(Register(field: 3, stamp: conflict.kept.stamp, value: []))
    let read = try #require(words.inWords(record))
    #expect(read.kind == "sprout" && read.id == words.id(of: conflict.key))
    #expect(try read.fields.mapValues { try JSON.line($0) } == ["height": #"{"millimetres":60}"#])
    #expect(words.inWords(Record(key: RecordKey(kind: RecordKind(rawValue: 1901), id: [1]))) == nil)
  }

  @Test("shows conflicts of its records, and puts them away")
  func conflicts() async throws {
    let folder = try Folder()
    let replica = try Replica(directory: folder.url)
    _ = try await replica.perform(
      .merge(records: [conflict.journalRecord.encoded], offering: [], at: nil))
    let entry = try #require(try await replica.conflicts().first)
    let devices = DeviceNames(own: .none, names: [:])
    let text = ConflictWords(Garden.self, context).detail(entry, id: "81c0", devices)
    #expect(text.hasPrefix("A sprout: changed on two devices"))
    #expect(text.contains("set aside  40 mm high"))
    #expect(
      text.hasSuffix("`garden conflicts restore 81c0` writes the value that was set aside back."))

    let words = ["conflicts", "dismiss", entry.displayID, "--replica", folder.url.path, "--json"]
    var command = try Garden.parseAsRoot(words)
    try command.run()
    await OpenReplicas.close()
    #expect(try await replica.conflicts().isEmpty)
    #expect(try await replica.undo()?.isUndone == true)
    #expect(try await replica.conflicts() == [entry])
  }
}
