// SPDX-License-Identifier: Apache-2.0
// `atrest-lab random`: generates a scenario from a seed, plays it and checks the replicas against
// an independent model.

import ArgumentParser
import AtrestCompanion
import AtrestLab
import Foundation

struct RandomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "random",
    abstract:
      "Make up edits, syncs and mishaps, and check what comes of it.",
    discussion: """
      Among the mishaps are missing networks, wrong clocks, copied devices, and devices or servers put back \
      from old copies. At the end every device syncs twice. All must then hold the same bytes, and every write must be \
      visible, superseded by one that knew it, or in the conflict journal. The same seed gives the same \
      story. Exits with 0 if all is well, with 1 if not.

      EXAMPLES:
        atrest-lab random
        atrest-lab random --seed 7 --devices 5 --edits 500
        atrest-lab random --seed 7 --keep seven.yaml
      """)

  @Option(help: "What decides everything; drawn if it is left out.") var seed: UInt64?
  @Option(help: ArgumentHelp("How many devices, 1 to 16.", valueName: "count")) var devices = 3
  @Option(help: ArgumentHelp("How many edits, 1 to 5000.", valueName: "count")) var edits = 200
  @Option(
    help: ArgumentHelp("Also write the scenario here, to play with it.", valueName: "file"))
  var keep: String?
  @Flag(help: "Also every step.") var verbose = false
  @OptionGroup var format: FormatOptions

  func validate() throws {
    guard (1...Scenario.Limits.devices).contains(devices) else {
      throw ValidationError("There are 1 to \(Scenario.Limits.devices) devices.")
    }
    guard RandomPlay.Size.editRange.contains(edits) else {
      throw ValidationError("There are 1 to \(RandomPlay.Size.editRange.upperBound) edits.")
    }
  }

  func run() async throws {
    let command = self
    try await Lab.untilInterrupted { try await command.play() }
  }

  private func play() async throws {
    let play = try await RandomPlay.play(
      seed: seed ?? UInt64.random(in: 1...999_999),
      size: RandomPlay.Size(devices: devices, edits: edits))
    if let keep { try write(play.scenario, to: keep) }
    try format.answer(RandomRow(play, devices, edits), words(play))
    for failure in play.report.failureLines { Terminal.writeError(failure.escapedForTerminal) }
    if !play.report.isHeld { throw ExitCode(.notAsExpected) }
  }

  private func write(_ scenario: Scenario, to path: String) throws {
    do {
      try Data(scenario.text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw CommandFailure(
        "\(path.escapedForTerminal) cannot be written. Check the path and its permissions.",
        .inputOutput)
    }
  }

  private func words(_ play: RandomPlay) -> String {
    let report = play.report
    let digests = Set(report.devices.map(\.digest))
    var lines = verbose ? [report.text.linesEscapedForTerminal, ""] : []
    lines += [
      "Seed \(play.seed): \(edits) edits on \(devices) devices, \(play.syncs) syncs.",
      digests.count == 1
        ? "All devices hold the same: \(report.devices.first?.records.count ?? 0) records, and "
          + "\(play.setAside) writes in the journal (\(digests.first ?? ""))."
        : "The devices differ.",
      report.isHeld
        ? "Every write is visible, superseded by one that knew it, or in the journal."
        : "Something is not as it must be. `--seed \(play.seed) --keep FILE` writes the story down.",
    ]
    return lines.joined(separator: "\n")
  }
}

/// The outcome, for `--json`.
private struct RandomRow: Encodable {
  var seed: UInt64
  var devices: Int
  var edits: Int
  var syncs: Int
  var records: Int
  var setAside: Int
  var digests: [String]
  var held: Bool
  var failures: [String]

  init(_ play: RandomPlay, _ devices: Int, _ edits: Int) {
    seed = play.seed
    self.devices = devices
    self.edits = edits
    syncs = play.syncs
    records = play.report.devices.first?.records.count ?? 0
    setAside = play.setAside
    digests = Set(play.report.devices.map(\.digest)).sorted()
    held = play.report.isHeld
    failures = play.report.failures.map(\.sentence)
  }
}
