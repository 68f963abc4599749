// SPDX-License-Identifier: Apache-2.0
// `trunk export`: the garden as a file that the web app reads, too.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk export`: the garden as a file that the web app reads, too.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the garden as a file that the web app reads, too.",
    discussion: """
      EXAMPLES:
        trunk export garden.json
        trunk export > garden.json
      """)

  @Argument(help: "The file; `-`, or none, is standard output.", completion: .file())
  var file = "-"
  @Flag(help: "Replace the file if there is one.") var force = false
  @OptionGroup var options: ReplicaOptions<Trunk>

  func run() throws {
    let context = CommandContext.current()
    guard let replica = try options.openExisting() else {
      throw CommandFailure("There is no garden here to export yet. Check `--replica`.")
    }
    let garden = try replica.look { try $0.garden() }
    let bytes = try GardenExport.bytes(garden, at: context.now)
    guard file != "-" else {
      Terminal.write(bytes)
      return
    }
    let written = try ExportFile(file, replacing: force, hint: "say `--force`")
    try written.write(bytes)
    try written.finish()
    let name = file.escapedForTerminal
    let count = GardenWords.list([(garden.sprouts.count, "sprout", "sprouts")]) ?? "no sprouts"
    Terminal.say("Wrote \(count) to \(name).")
  }
}
