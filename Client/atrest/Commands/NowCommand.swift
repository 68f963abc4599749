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
      EXAMPLES:
        atrest now
        atrest --json
      """)

  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  func run() throws {
    let context = CommandContext.current()
    guard let replica = try options.openExisting() else {
      try format.answer(
        NowRow(.empty, context),
        "\(Word.timerFirstRun.text) `atrest fast start` begins a fast, `atrest --help` shows the rest."
      )
      return
    }
    let snapshot = try Snapshot(replica, context)
    let person = context.following(snapshot.choices)
    try format.answer(
      NowRow(snapshot, person),
      NowView(
        snapshot, person,
        isUnicode: Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)
      ).text(
        Terminal.colourStyle, width: Terminal.isRead ? ScreenSize.current().columns : nil))
    if !format.isJSON { try TransitionView.showOnce(snapshot, in: replica) }
  }
}
