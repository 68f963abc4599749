// SPDX-License-Identifier: Apache-2.0
// `atrest completions`: shell completions for the commands.

import ArgumentParser
import AtrestCommandLine

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print a shell's completions for this program.",
    discussion: """
      `make install` puts them where the shells look. By hand:

      EXAMPLES:
        atrest completions bash > ~/.local/share/bash-completion/completions/atrest
        atrest completions zsh > ~/.zfunc/_atrest
        atrest completions fish > ~/.config/fish/completions/atrest.fish
      """)

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

  @Argument(help: "bash, zsh or fish.") var shell: Shell

  func run() {
    Terminal.say(Atrest.completionScript(for: shell.completionShell))
  }
}
