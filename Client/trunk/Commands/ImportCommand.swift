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
      What is here already stays as it is, so importing a file twice changes nothing.

      EXAMPLES:
        trunk import garden.json --dry-run
        trunk import garden.json
      """)

  @Argument(help: "The file.", completion: .file()) var file: String
  @Flag(help: "Only say what would be added.") var dryRun = false
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    var sprouts = 0
    var waterings = 0
    var shinings = 0
    var leaves = 0
    var labels = 0
    var leftOut = 0
    var written = false
  }

  func run() throws {
    let context = CommandContext.current()
    let file = try GardenImport(read(), in: context.zone, now: context.now)
    var row = Row()
    if dryRun {
      if let replica = try options.openExisting() {
        row = try replica.look { try add(file, to: $0, writes: false) }
      } else {
        row = try Replica.inMemory().transaction { try add(file, to: $0, writes: false) }
      }
    } else {
      row = try options.open().transaction { store in
        try store.action(.import) { try add(file, to: store, writes: true) }
      }
    }
    row.written = !dryRun
    let counts = GardenWords.list([
      (row.sprouts, "sprout", "sprouts"), (row.waterings, "watering", "waterings"),
      (row.shinings, "shining", "shinings"), (row.leaves, "leaf", "leaves"),
      (row.labels, "label", "labels"),
    ])
    let rest = row.leftOut == 0 ? "" : " Left out as impossible: \(row.leftOut)."
    try format.answer(row, "\(dryRun ? "Would add" : "Added") \(counts ?? "nothing").\(rest)")
  }

  private func read() throws(GardenFileProblem) -> Data {
    // Bounded while it is read: a device or a pipe has no size to ask for.
    let bytes: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      bytes = try handle.read(upToCount: GardenFile.limitBytes + 1) ?? Data()
    } catch {
      throw .unreadable(file.escapedForTerminal)
    }
    guard bytes.count <= GardenFile.limitBytes else { throw .tooLarge }
    return bytes
  }

  /// Adds what is not there, and counts it. What was deleted stays deleted.
  private func add(
    _ file: GardenImport, to store: ReplicaTransaction, writes: Bool
  ) throws -> Row {
    var row = Row(leftOut: file.leftOut)
    func add<R: SyncedRecord>(_ records: [R]) throws -> Int {
      var added = 0
      for record in records where try store.record(record.key) == nil {
        if writes { try store.save(record) }
        added += 1
      }
      return added
    }
    row.sprouts = try add(file.sprouts.values.sorted { $0.id < $1.id })
    row.waterings = try add(file.waterings.values.sorted { $0.id < $1.id })
    row.shinings = try add(file.shinings.values.sorted { $0.id < $1.id })
    row.leaves = try add(file.leaves.values.sorted { $0.id < $1.id })
    row.labels = try add(file.labels)
    if let name = file.name, try store.record(of: GardenSetting.self, .gardenName) == nil, writes {
      try store.save(GardenSetting(id: .gardenName, value: name))
    }
    return row
  }
}
