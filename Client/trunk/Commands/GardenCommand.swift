// SPDX-License-Identifier: Apache-2.0
// `trunk garden`: the live view's I/O. `GardenModel` decides what is shown.

import ArgumentParser
import AtrestCompanion
import Foundation
import TrunkDomain
import TrunkVocabulary

/// `trunk garden`.
struct GardenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "garden", abstract: "The garden, live on the whole terminal.",
    discussion: """
      Arrows, digits or the mouse go from the tree to a branch and a twig, and p plants, w waters, s lets the sun shine, \
      h harvests, u takes back what was done here. ? shows all keys, q leaves.

      EXAMPLES:
        trunk garden
      """)

  @OptionGroup var options: ReplicaOptions<Trunk>

  func run() throws {
    guard TerminalSession.isPossible else { throw Self.noTerminal }
    let style = Terminal.style.atNight
    let live = LiveGarden(options, style: style)
    let session = TerminalSession(hasMouse: true, ground: style.ground)
    // Report a read error before the screen is taken over.
    try live.load()
    guard session.begin() else { throw Self.noTerminal }
    defer { session.end() }
    session.run(live)
  }

  private static let noTerminal = CommandFailure(
    "The live garden needs a terminal to draw on. `trunk` shows the tree once.", .usage)
}

/// Drives the model with a terminal and a replica.
private final class LiveGarden: LiveView {
  private let options: ReplicaOptions<Trunk>
  private let style: Style
  private let isUnicode = Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)
  private var model = GardenModel(.current(), size: .current())
  private var replica: Replica?
  private var loaded = WallTime(milliseconds: .min)
  private(set) var isOver = false
  /// The records as the actions taken here left them, the last one at the end. Their stamps tell
  /// these actions apart from any other one on the same records.
  private var done: [Record] = []

  /// The interval at which the replica is read again: `trunk sync --watch` may bring changes.
  private static let reloadMilliseconds: Int64 = 3000

  init(_ options: ReplicaOptions<Trunk>, style: Style) {
    (self.options, self.style) = (options, style)
  }

  /// Reads the replica if there is one.
  func load() throws {
    loaded = CommandContext.current().now
    if replica?.isWritable != true { replica = try options.openExisting() }
    guard let replica else { return }
    _ = model.handle(.loaded(try replica.look { try $0.garden() }))
  }

  var lines: [String] { model.lines(style, isUnicode: isUnicode) }

  let pauseMilliseconds = 1000

  func press(_ keys: [TerminalKey]) {
    _ = model.handle(.tick(CommandContext.current().now))
    for key in keys where !isOver {
      for effect in model.handle(.key(key)) { perform(effect) }
    }
  }

  func tick() {
    let now = CommandContext.current().now
    _ = model.handle(.tick(now))
    // The clock may have been set back.
    if now.milliseconds(since: loaded) >= Self.reloadMilliseconds || loaded > now { reload() }
  }

  func resize() {
    _ = model.handle(.resized(.current()))
    reload()
  }

  private func reload() {
    do { try load() } catch { fail(error) }
  }

  private func answer(_ sentence: String) {
    _ = model.handle(.answered(sentence, undoable: done.count))
  }

  private func fail(_ error: any Error) {
    answer(
      Trunk.failure(of: error)?.sentence ?? "That did not work. `trunk status` may say more.")
  }

  private func perform(_ effect: GardenModel.Effect) {
    do {
      switch effect {
      case .quit: isOver = true
      case .undo: answer(try undo())
      case .perform(let action):
        let replica = try replica ?? options.open()
        self.replica = replica
        let (record, sentence) = try replica.change { garden, store in
          let (id, sentence) = try action.perform(in: garden, store, model.context)
          return (try store.gardenRecord(id), sentence)
        }
        if let record { done.append(record) }
        answer(sentence)
      }
      if !isOver { try load() }
    } catch {
      fail(error)
    }
  }

  /// Undoes the last action taken here. An action taken elsewhere on this device since then is not
  /// on the screen, so it stays.
  ///
  /// - Returns: What was undone.
  private func undo() throws -> String {
    let undone = try replica?.transaction { store in
      let undone = try store.undoInGarden()
      // Throwing rolls the transaction back.
      if let undone, undone.changes.map(\.after) != done.suffix(1) {
        throw Self.changedSince
      }
      return undone
    }
    guard let undone else { throw GardenAnswers.nothingToUndo }
    done.removeLast()
    return try GardenAnswers.undone(undone, model.context)
  }

  private static let changedSince = CommandFailure(
    "Something else was done since. `trunk undo` takes back what was done last.")
}

extension ReplicaTransaction {
  /// The record of the garden with an id, which only one kind has.
  fileprivate func gardenRecord(_ id: [UInt8]) throws(ReplicaError) -> Record? {
    for kind in GardenVocabulary().kinds {
      if let record = try record(RecordKey(kind: kind, id: id)) { return record }
    }
    return nil
  }
}
