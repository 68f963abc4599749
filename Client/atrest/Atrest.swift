// SPDX-License-Identifier: Apache-2.0
// `atrest`: the root command, and what the shared commands know of it.

import ArgumentParser
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestPortability
import AtrestReplication
import AtrestWire
import Foundation
import TrunkVocabulary

@main
enum Main {
  static func main() async {
    Language.choose(LocaleFormat.language(environment: ProcessInfo.processInfo.environment))
    await Atrest.runProgram()
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
    version: BuildVersion.text,
    subcommands: [
      NowCommand.self, FastCommand.self, WaterCommand.self, UndoCommand.self,
      TimerCommand.self, CalendarCommand.self, HistoryCommand.self, StatisticsCommand.self,
      ForestCommand.self,
      TreeCommand.self,
      SettingsCommand.self, VigilCommand.self, PremiumCommand.self,
      StatusCommand.self, SessionsCommand.self,
      SyncCommand<Atrest>.self, ConflictsCommand<Atrest>.self, PairCommand<Atrest>.self,
      InviteCommand<Atrest>.self,
      DevicesCommand<Atrest>.self, AccountCommand<Atrest>.self, EntitlementCommand.self,
      UnpairCommand<Atrest>.self,
      ImportCommand.self, ExportCommand.self, DoctorCommand<Atrest>.self,
      ReplicaCommand<Atrest>.self, CompletionsCommand<Atrest>.self,
    ], defaultSubcommand: NowCommand.self)

  // Declared here too, so that it may precede the subcommand.
  @OptionGroup var options: ReplicaOptions
}

/// The replica's folder is that of this program.
typealias ReplicaOptions = AtrestCompanion.ReplicaOptions<Atrest>

extension Atrest: Companion {
  static let programName = "atrest"

  static let countOptions: Set = ["--days", "--limit", "--months"]

  static var contents: String {
    Language.text("when you fasted and drank", de: "wann du gefastet und getrunken hast")
  }

  /// A garden is another program's, and may be in the same account.
  static var vocabularies: [any KindVocabulary] { [AtrestVocabulary(), GardenVocabulary()] }

  static let dismissesConflicts = false

  static func correctingCommand(for kind: RecordKind) -> String? {
    switch kind {
    case .session: "sessions"
    case .water: "water"
    default: nil
    }
  }

  static func ownFailure(of error: any Error) -> CommandFailure? {
    switch error {
    case let error as ChoiceProblem: CommandFailure(error.userMessage, .usage)
    case .choice(let error) as SettingProblem: CommandFailure(error.userMessage, .usage)
    case .input(let error) as SettingProblem: CommandFailure(error)
    case let error as FastingRefusal: CommandFailure(error.userMessage, .data)
    case let error as PortabilityError: CommandFailure(error.userMessage, .data)
    case let error as CSVProblem: CommandFailure(error.userMessage, .data)
    default: nil
    }
  }
}
