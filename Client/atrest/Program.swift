// SPDX-License-Identifier: Apache-2.0
// The entry point of `atrest`: runs a command and maps an error to a sentence and an exit code.

import ArgumentParser
import AtrestCommandLine
import AtrestWire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@main
enum Program {
  static func main() async {
    // A reader that closes the pipe early, as `head` does, is not an error.
    signal(SIGPIPE, SIG_IGN)
    TerminalWidth.widenHelp()
    do {
      let arguments = NegativeNumbers.asValues(Array(CommandLine.arguments.dropFirst()))
      if let sentence = MistypedCommand.sentence(arguments) {
        throw CommandFailure(sentence, .usage)
      }
      var command = try Atrest.parseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      await OpenReplicas.close()
    } catch {
      await OpenReplicas.close()
      guard let failure = CommandFailure(error) else { Atrest.exit(withError: error) }
      Terminal.writeError(failure.sentence)
      exit(failure.status.rawValue)
    }
  }
}

/// The root command.
struct Atrest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atrest",
    abstract: "A quiet companion for fasting and water, on all of your devices.",
    discussion: """
      Everything is kept on this device first and works without a network. `atrest pair` \
      connects it to your other devices; `atrest sync` exchanges what is new.

      EXAMPLES:
        atrest
        atrest fast start --target 16h
        atrest water add 250ml
        atrest timer
        atrest fast complete --at 12:30

      Times: now, 22:30, yesterday 22:30, 2h ago, 2026-11-21T22:30.
      Ids may be shortened. NO_COLOR turns emphasis off.
      """,
    version: ProgramVersion.text,
    subcommands: [
      NowCommand.self, FastCommand.self, WaterCommand.self, UndoCommand.self,
      TimerCommand.self, CalendarCommand.self, HistoryCommand.self, ForestCommand.self,
      TreeCommand.self,
      SettingsCommand.self, VigilCommand.self, PremiumCommand.self,
      StatusCommand.self, SessionsCommand.self,
      SyncCommand.self, ConflictsCommand.self, PairCommand.self, InviteCommand.self,
      DevicesCommand.self, AccountCommand.self, EntitlementCommand.self, UnpairCommand.self,
      ImportCommand.self, ExportCommand.self, DoctorCommand.self, LabCommand.self,
      ReplicaCommand.self, CompletionsCommand.self,
    ], defaultSubcommand: NowCommand.self)

  // Declared here too, so that it may precede the subcommand.
  @OptionGroup var options: ReplicaOptions
}
