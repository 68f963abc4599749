// SPDX-License-Identifier: Apache-2.0
// `trunk import`: what the web app or `trunk export` wrote.

import ArgumentParser
import AtrestCompanion
import Foundation
import TrunkDomain

/// `trunk import`: what the web app or `trunk export` wrote.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add what a file of the web app's, or of `trunk export`, holds.",
    discussion: """
      What is here already stays as it is, and only takes over what was never set here: importing a file twice changes \
      nothing, and a later file of the same garden brings its news. What was deleted here stays deleted.

      Pair and sync first. A file that is read on a device that has not synced yet counts as newer than what other \
      devices changed. `trunk undo` takes back an import of up to 100 records.

      EXAMPLES:
        trunk import garden.json --dry-run
        trunk import garden.json
      """)

  @Argument(help: "The file; `-` is standard input.", completion: .file()) var file: String
  @Flag(help: "Only say what would be added.") var dryRun = false
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  func run() throws {
    let context = CommandContext.current()
    let file = try GardenImport(read(), in: context.zone)
    let addition: GardenAddition
    if dryRun {
      let replica = try options.openExisting() ?? Replica.inMemory()
      addition = try replica.look { try GardenAddition(file, to: $0, writes: false) }
    } else {
      addition = try options.open().transaction { store in
        try store.action(.import) { try GardenAddition(file, to: store, writes: true) }
      }
    }
    try format.answer(addition, GardenAnswers.added(addition))
  }

  private func read() throws(GardenFileProblem) -> Data {
    // Bounded while it is read: a device or a pipe has no size to ask for.
    let bytes: Data
    do {
      let handle =
        file == "-"
        ? .standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      bytes = try handle.read(upToCount: GardenFile.limitBytes + 1) ?? Data()
    } catch {
      throw .unreadable(file.escapedForTerminal)
    }
    guard bytes.count <= GardenFile.limitBytes else { throw .tooLarge }
    return bytes
  }
}
