// SPDX-License-Identifier: Apache-2.0
// `atrest status`: a summary. Makes no network call.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import Foundation

/// `atrest status`.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "The fast that is going on, water today, and what waits to sync.",
    discussion: """
      EXAMPLES:
        atrest status
        atrest status --json
      """)

  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  func run() throws {
    let context = CommandContext.current()
    guard let replica = try options.openExisting() else {
      try format.answer(
        StatusReport.empty(context),
        Language.text(
          "Nothing is written here yet. `atrest fast start` begins a fast when you're ready, and "
            + "`atrest pair LINK` brings in what your other devices hold.",
          de: "Noch steht hier nichts. `atrest fast start` beginnt, wenn du so weit bist, und "
            + "`atrest pair LINK` holt, was deine anderen Geräte haben."))
      return
    }
    let status = try replica.status()
    let (open, ids, water, choices) = try replica.look { store in
      let open = try store.openSessions()
      return (
        open, try store.shortIDs(of: open), try store.waterAround(context.now), try Choices(store)
      )
    }
    let report = StatusReport(
      sessions: open, water: water, status: status,
      pending: status.refusedCount > 0 ? try replica.pending() : [],
      conflicts: try replica.conflicts().count, context)
    try format.answer(
      report, report.text(sessionIDs: ids, context.following(choices), Terminal.style))
  }
}
