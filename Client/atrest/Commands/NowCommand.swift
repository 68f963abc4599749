// SPDX-License-Identifier: Apache-2.0
// `atrest` without a subcommand: the current state. Makes no network call, and the cost does not
// grow with the history.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import Foundation

/// `atrest [now]`.
struct NowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "now",
    abstract: "The fast that goes on, water today, and what waits: the same as `atrest` alone.",
    discussion: """
      `--format` writes one line of your own, for a prompt or the status line of tmux. Its fields are {state} (fasting \
      or idle), {elapsed}, {hours} and {minutes}, {since}, {target}, {milestone}, {water} and {waiting}; {{ and }} are \
      braces. Between fasts it is the line of `--idle`, which is empty unless you say one. Nothing is changed or sent.

      EXAMPLES:
        atrest now
        atrest --json
        atrest now --format "{elapsed} of {target}" --idle "{water}"
      """)

  @Option(help: ArgumentHelp("One line with fields such as {elapsed}.", valueName: "template"))
  var format: String?
  @Option(
    help: ArgumentHelp("The line between fasts, with `--format`.", valueName: "template"))
  var idle: String?

  @OptionGroup var options: ReplicaOptions
  @OptionGroup var answer: FormatOptions

  func validate() throws {
    if format != nil, answer.isJSON {
      throw ValidationError("Say `--format` or `--json`, not both.")
    }
    if idle != nil, format == nil {
      throw ValidationError("`--idle` is the line between fasts of a `--format`.")
    }
  }

  func run() throws {
    let context = CommandContext.current()
    if let format { return try line(format, context) }
    guard let replica = try options.openExisting() else {
      try answer.answer(
        NowRow(.empty, context),
        Word.timerFirstRun.text + " "
          + Language.text(
            "`atrest fast start` begins a fast, `atrest --help` shows the rest.",
            de: "`atrest fast start` beginnt, `atrest --help` zeigt den Rest.")
      )
      return
    }
    let snapshot = try Snapshot(replica, context)
    let person = context.following(snapshot.choices)
    try answer.answer(
      NowRow(snapshot, person),
      NowView(
        snapshot, person,
        isUnicode: Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)
      ).text(
        Terminal.colourStyle, width: Terminal.isRead ? ScreenSize.current().columns : nil))
    if !answer.isJSON { try TransitionView.showOnce(snapshot, in: replica) }
  }

  /// Writes the person's own line: the fast, water and what waits are all that is read.
  private func line(_ format: String, _ context: CommandContext) throws {
    let (fasting, between) = (try NowTemplate(format), try NowTemplate(idle ?? ""))
    let snapshot = try options.openExisting().map { try Snapshot(lineOf: $0, context) } ?? .empty
    let template = snapshot.active == nil ? between : fasting
    Terminal.say(template.text(snapshot, context.following(snapshot.choices)))
  }
}
