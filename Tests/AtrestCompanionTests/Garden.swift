// SPDX-License-Identifier: Apache-2.0
// A second program with a kind of record of its own.

import ArgumentParser
import AtrestCompanion

struct Garden: ParsableCommand, Companion {
  static let programName = "garden"
  static let vocabularies: [any KindVocabulary] = [SproutVocabulary(), AtrestVocabulary()]
  static let contents = "what you planted"
  static let configuration = CommandConfiguration(
    commandName: programName, abstract: "What grows.",
    subcommands: [
      SyncCommand<Garden>.self, ConflictsCommand<Garden>.self, PairCommand<Garden>.self,
      InviteCommand<Garden>.self, DevicesCommand<Garden>.self, AccountCommand<Garden>.self,
      UnpairCommand<Garden>.self, DoctorCommand<Garden>.self, ReplicaCommand<Garden>.self,
      CompletionsCommand<Garden>.self,
    ])

  @OptionGroup var options: ReplicaOptions<Garden>

  /// What only this program can explain.
  struct Drought: Error {}

  static func ownFailure(of error: any Error) -> CommandFailure? {
    error is Drought ? CommandFailure("There is no water. Wait for rain.", .temporary) : nil
  }
}

/// A sprout has a height in millimetres in field 2.
struct SproutVocabulary: KindVocabulary {
  static let sprout = RecordKind(rawValue: 1900)

  struct Height: Encodable { var millimetres: Int }

  let kinds: Set = [sprout]

  func name(of kind: RecordKind) -> String { "sprout" }
  func noun(for kind: RecordKind) -> String { "a sprout" }
  func name(of field: FieldNumber, in kind: RecordKind) -> String? { field == 2 ? "height" : nil }

  func detail(of record: Record, _ context: CommandContext) -> String? {
    record.registers.first { $0.field == 2 }.flatMap { text(of: $0, in: record.key.kind, context) }
  }

  func text(of register: Register, in kind: RecordKind, _ context: CommandContext) -> String? {
    height(register).map { "\($0) mm high" }
  }

  func object(of register: Register, in kind: RecordKind) -> (any Encodable)? {
    height(register).map(Height.init)
  }

  private func height(_ register: Register) -> Int? {
    register.field == 2 ? register.value.last.map(Int.init) : nil
  }
}
