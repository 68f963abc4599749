// SPDX-License-Identifier: Apache-2.0
// Parsing of command lines.

import ArgumentParser
import AtrestCommandLine
import Foundation
import Testing

@testable import AtrestCompanion
@testable import atrest

@Suite("Command lines", .timeLimit(.minutes(20)))
struct ParsingTests {
  private func parse<Command>(_ line: String, as type: Command.Type) throws -> Command {
    let words = line.split(separator: " ").map(String.init)
    return try #require(Atrest.parseAsRoot(words) as? Command, "\(line)")
  }

  @Test("reach their commands")
  func commands() throws {
    #expect(
      try parse("fast start --at 22:30 --target 16h", as: FastCommand.Start.self).at == "22:30")
    _ = try parse("fast complete", as: FastCommand.Complete.self)
    _ = try parse("fast abandon --json", as: FastCommand.Abandon.self)
    #expect(try parse("water add 250", as: WaterCommand.Add.self).amount == "250")
    _ = try parse("water list --days 30", as: WaterCommand.List.self)
    _ = try parse("water edit 3f --amount 300", as: WaterCommand.Edit.self)
    _ = try parse("water delete 3f", as: WaterCommand.Delete.self)
    _ = try parse("sessions", as: SessionsCommand.List.self)
    _ = try parse("sessions list --all --limit 3", as: SessionsCommand.List.self)
    _ = try parse("sessions show 3f", as: SessionsCommand.Show.self)
    _ = try parse("sessions edit 3f --outcome Completed", as: SessionsCommand.Edit.self)
    _ = try parse("sessions delete 3f", as: SessionsCommand.Delete.self)
    #expect(try parse("sync --watch", as: SyncCommand<Atrest>.self).watch)
    _ = try parse("conflicts", as: ConflictsCommand<Atrest>.List.self)
    _ = try parse("conflicts show 81c0", as: ConflictsCommand<Atrest>.Show.self)
    _ = try parse("conflicts restore 81c0", as: ConflictsCommand<Atrest>.Restore.self)
    #expect(try parse("pair LINK --name phone", as: PairCommand<Atrest>.self).name == "phone")
    _ = try parse("unpair --json", as: UnpairCommand<Atrest>.self)
    _ = try parse("invite", as: InviteCommand<Atrest>.self)
    _ = try parse("devices", as: DevicesCommand<Atrest>.List.self)
    #expect(try parse("devices revoke 9b1f", as: DevicesCommand<Atrest>.Revoke.self).scope == nil)
    for (flag, scope) in [
      ("--only", RevocationScope.only), ("--with-descendants", .withDescendants),
    ] {
      let command = try parse("devices revoke 9b1f \(flag)", as: DevicesCommand<Atrest>.Revoke.self)
      #expect(command.scope == scope)
    }
    _ = try parse("replica dump --json --values", as: ReplicaCommand<Atrest>.Dump.self)
    _ = try parse("replica digest", as: ReplicaCommand<Atrest>.Digest.self)
  }

  @Test("take the replica's folder before or after the command")
  func replica() throws {
    for line in ["--replica /r status", "status --replica /r"] {
      #expect(try parse(line, as: StatusCommand.self).options.replica == "/r", "\(line)")
    }
    for line in ["--replica /r fast start", "fast --replica /r start", "fast start --replica /r"] {
      #expect(try parse(line, as: FastCommand.Start.self).options.replica == "/r", "\(line)")
    }
  }

  @Test(
    "that ask for nothing, or for too little, are usage errors",
    arguments: [
      "sessions edit 3f", "sessions edit 3f --outcome won", "sessions list --limit 0",
      "sessions list --limit many", "water edit 3f", "water list --days 0", "water list --days -3",
      "fast start 16h 18h", "fast complete --target 16h", "devices revoke",
      "devices revoke 9b1f --only --with-descendants",
    ])
  func usage(line: String) {
    do {
      _ = try Atrest.parseAsRoot(line.split(separator: " ").map(String.init))
      Issue.record("it was taken")
    } catch {
      #expect(Atrest.exitCode(for: error) == .validationFailure)
    }
  }

  @Test(
    "a word that is no command is told of, with the one that may have been meant",
    arguments: [
      ("watr", "`atrest watr`. Did you mean `atrest water`? `atrest --help` shows them all."),
      ("--replica /r statsu --json", "`atrest statsu`. Did you mean `atrest status`? `atrest"),
      ("fast bigin", "`atrest fast bigin`. Did you mean `atrest fast begin`? `atrest fast --help`"),
      ("settings target", "`atrest settings target`. `atrest settings --help` shows them all."),
      ("vigil maybe", "`atrest vigil maybe`. `atrest vigil --help` shows them all."),
      ("premum", "`atrest premum`. `atrest --help` shows them all."),
    ])
  func mistyped(line: String, sentence: String) {
    let words = line.split(separator: " ").map(String.init)
    #expect(
      MistypedCommand.sentence(words, of: Atrest.self)?.hasPrefix("There is no command \(sentence)")
        == true,
      "\(MistypedCommand.sentence(words, of: Atrest.self) ?? "")")
  }

  @Test("whose command there is are left to the parser, whatever follows")
  func typed() {
    for line in [
      "", "--help", "help watr", "--version", "--nothing watr", "status watr", "fast begin now",
      "--replica watr status", "sessions --limit 3", "premium", "calendar last", "tree 3f2a",
      "---completion settings set",
    ] {
      let words = line.split(separator: " ").map(String.init)
      #expect(MistypedCommand.sentence(words, of: Atrest.self) == nil, "\(line)")
    }
  }

  @Test("help has an example for every command, and no banned words")
  func help() throws {
    func visit(_ command: any ParsableCommand.Type) {
      // Each start asks every command its name, and a type's own takes long to be found.
      #expect(command.configuration.commandName != nil, "\(command)")
      let subcommands = command.configuration.subcommands
      let text = Atrest.helpMessage(for: command, columns: 80)
      #expect(bannedWords(in: text).isEmpty, "\(command)")
      #expect(!command.configuration.abstract.isEmpty, "\(command)")
      if subcommands.isEmpty { #expect(text.contains("EXAMPLES:\n  atrest "), "\(command)") }
      subcommands.forEach(visit)
    }
    visit(Atrest.self)
  }

  @Test("a device is called what was typed, or after its host")
  func deviceName() throws {
    #expect(try PairCommand<Atrest>.deviceName(given: "  my   phone ", host: "h") == "my phone")
    #expect(try PairCommand<Atrest>.deviceName(given: nil, host: "laptop.example.org") == "laptop")
    #expect(try PairCommand<Atrest>.deviceName(given: nil, host: "") == "device")
    let long = try PairCommand<Atrest>.deviceName(
      given: nil, host: String(repeating: "ü", count: 50))
    #expect(long.utf8.count == 64)
    for bad in ["", "  ", String(repeating: "a", count: 65), "a\u{1B}[2J"] {
      #expect(throws: CommandFailure.self) {
        try PairCommand<Atrest>.deviceName(given: bad, host: "h")
      }
    }
  }
}
