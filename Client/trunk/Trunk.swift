// SPDX-License-Identifier: Apache-2.0
// The program `trunk`, on the library for companions.

import ArgumentParser
import AtrestCompanion
import TrunkDomain
import TrunkVocabulary

@main
enum Program {
  static func main() async { await Trunk.runProgram() }
}

/// The root command.
struct Trunk: ParsableCommand, Companion {
  static let programName = "trunk"
  /// One replica for both programs: a person pairs and syncs a device once, whatever is on it.
  static let replicaVariable = "ATREST_REPLICA"
  static let replicaFolderName = "atrest"
  static let countOptions: Set = ["--limit", "--result"]
  static let contents = "what you cultivate"
  static var vocabularies: [any KindVocabulary] { [GardenVocabulary(), AtrestVocabulary()] }

  static let configuration = CommandConfiguration(
    commandName: programName,
    abstract: "A garden of goals, on all of your devices.",
    discussion: """
      A tree has eight branches with eight twigs each. Plant a goal on a twig, water it with a few words a day, let the \
      sun shine on a twig once a week, and harvest. Everything is kept on this device first and works without a network.

      EXAMPLES:
        trunk
        trunk plant "Read Middlemarch" --on 3.5 --season 3m --environment firm
        trunk water middlemarch "Two chapters before breakfast"
        trunk shine 3.5 "A quiet week"
        trunk harvest middlemarch --result 4

      A twig is written 3.5: branch 3, twig 5. A sprout is named by the beginning of its id, or by words of its title. \
      Times: now, 22:30, yesterday 22:30, 2h ago, 2026-11-21T22:30. NO_COLOR turns emphasis off.
      """,
    version: BuildVersion.text,
    subcommands: [
      TreeCommand.self, BranchCommand.self, TwigCommand.self, PlantCommand.self, DraftCommand.self,
      WaterCommand.self, ShineCommand.self, HarvestCommand.self, UprootCommand.self,
      EditCommand.self, DeleteCommand.self, LeafCommand.self, LabelCommand.self, ListCommand.self,
      JournalCommand.self, GardenCommand.self, UndoCommand.self, SettingsCommand.self,
      ExportCommand.self,
      ImportCommand.self, SyncCommand<Trunk>.self, ConflictsCommand<Trunk>.self,
      StatusCommand.self, PairCommand<Trunk>.self, InviteCommand<Trunk>.self,
      DevicesCommand<Trunk>.self, AccountCommand<Trunk>.self, UnpairCommand<Trunk>.self,
      DoctorCommand<Trunk>.self, ReplicaCommand<Trunk>.self, CompletionsCommand<Trunk>.self,
    ], defaultSubcommand: TreeCommand.self)

  // Declared here too, so that it may precede the subcommand.
  @OptionGroup var options: ReplicaOptions<Trunk>

  static func ownFailure(of error: any Error) -> CommandFailure? {
    switch error {
    case let problem as GardenProblem: CommandFailure(problem.userMessage, problem.status)
    case let problem as GardenFileProblem: CommandFailure(problem.userMessage)
    case let problem as NameProblem: CommandFailure(problem.userMessage)
    default: nil
    }
  }
}

extension GardenProblem {
  /// A usage error for what has no accepted form; else what is asked for cannot be done.
  var status: ExitStatus {
    switch self {
    case .season, .environment, .result, .twig, .node, .branch: .usage
    default: .data
    }
  }
}
