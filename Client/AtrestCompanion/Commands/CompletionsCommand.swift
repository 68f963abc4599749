// SPDX-License-Identifier: Apache-2.0
// `completions`: shell completions for the commands.

import ArgumentParser
import AtrestCommandLine

/// `completions bash|zsh|fish`: shell completions for the program.
public struct CompletionsCommand<Program: Companion>: ParsableCommand {
  /// Its name and help.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "completions", abstract: "Print a shell's completions for this program.",
      discussion: """
        `make install` puts them where the shells look. By hand:

        EXAMPLES:
          \(Program.programName) completions bash > ~/.local/share/bash-completion/completions/\(Program.programName)
          \(Program.programName) completions zsh > ~/.zfunc/_\(Program.programName)
          \(Program.programName) completions fish > ~/.config/fish/completions/\(Program.programName).fish
        """)
  }

  @Argument(help: "bash, zsh or fish.") var shell: Shell

  /// The command without arguments.
  public init() {}

  /// Writes the script to standard output.
  public func run() {
    Terminal.say(Program.completionScript(for: shell.completionShell))
  }
}

/// The supported shells.
enum Shell: String, ExpressibleByArgument, CaseIterable {
  case bash
  case zsh
  case fish

  var completionShell: CompletionShell {
    switch self {
    case .bash: .bash
    case .zsh: .zsh
    case .fish: .fish
    }
  }
}
