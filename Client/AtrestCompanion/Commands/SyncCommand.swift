// SPDX-License-Identifier: Apache-2.0
// `sync`: syncs once, or continuously with `--watch`.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestSync
import Foundation
import Synchronization

/// `sync [--watch] [--allow-mass-deletion]`: exchanges what is new.
public struct SyncCommand<Program: Companion>: AsyncParsableCommand {
  /// Its name and help.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "sync", abstract: "Exchange what is new with your other devices.",
      discussion: """
        EXAMPLES:
          \(Program.programName) sync
          \(Program.programName) sync --watch
        """)
  }

  @Flag(help: "Stay connected, and exchange changes as they come, until interrupted.")
  var watch = false
  @Flag(help: "Also send deletions that take away most of what there is.")
  var allowMassDeletion = false
  @OptionGroup var options: ReplicaOptions<Program>
  @OptionGroup var format: FormatOptions

  /// The command without options.
  public init() {}

  private var words: SyncWords { SyncWords(Program.programName) }

  /// - Throws: `ValidationError` for `--allow-mass-deletion` beside `--watch`.
  public func validate() throws {
    if watch, allowMassDeletion {
      throw ValidationError("A word for deletions is given once: leave '--watch' out.")
    }
  }

  /// Syncs once and says what was exchanged, or until it is interrupted.
  ///
  /// - Throws: `SyncError`, `ReplicaError`, and `CommandFailure` for writes that the server
  ///   refused.
  public func run() async throws {
    let replica = try options.openPaired()
    if watch {
      try await stay(replica)
    } else {
      try await once(replica)
    }
  }

  private func once(_ replica: Replica) async throws {
    let latest = Mutex(SyncReport())
    let report: SyncReport
    do {
      report = try await replica.sync(allowingMassDeletion: allowMassDeletion) { report in
        latest.withLock { $0 = report }
        if let counts = SyncWords.counts(report) {
          Terminal.progress(Language.text("\(counts) so far", de: "bisher \(counts)"))
        }
      }
      Terminal.progress("")
    } catch  where error.code == .massDeletion {
      Terminal.progress("")
      // Everything else was exchanged: report it together with the held deletions.
      var report = latest.withLock { $0 }
      report.heldDeletions = error.heldDeletions
      await learnNames(replica)
      if format.isJSON { Terminal.say(try JSON.text(SyncRow(report))) }
      if let refused = words.refused(report) { Terminal.writeError(refused) }
      throw error
    } catch {
      Terminal.progress("")
      throw error
    }
    await learnNames(replica)
    try format.answer(SyncRow(report), words.done(report))
    if let refused = words.refused(report) { throw CommandFailure(refused) }
  }

  /// Refreshes device names if the journal mentions an unknown device. A failure does not matter.
  private func learnNames(_ replica: Replica) async {
    guard let known = try? replica.deviceNames(), let entries = try? await replica.conflicts()
    else {
      return
    }
    let writers = entries.flatMap { entry in
      [entry.conflict.lost.stamp.replica, entry.conflict.kept.stamp.replica]
    }
    if writers.contains(where: { known[$0] == nil }) { _ = try? await replica.devices() }
  }

  private func stay(_ replica: Replica) async throws {
    let (json, words) = (format.isJSON, words)
    let isFirst = Mutex(true)
    let isAway = Mutex(false)
    let task = Task {
      try await replica.watch { report, error in
        let wasAway = isAway.withLock { away in
          defer { away = error != nil }
          return away
        }
        if error != nil {
          // Short, so that it fits the progress line of a narrow terminal. Printed once where lines
          // cannot be erased.
          if Terminal.showsProgress {
            Terminal.progress(SyncWords.away)
          } else if !wasAway {
            Terminal.writeError(SyncWords.away)
          }
          return
        }
        Terminal.progress("")
        let first = isFirst.withLock { first in
          defer { first = false }
          return first
        }
        if json {
          if let line = try? JSON.line(SyncRow(report)) { Terminal.say(line) }
        } else if first {
          Terminal.say(words.done(report))
        } else if let counts = SyncWords.counts(report) {
          Terminal.say(counts)
          if report.isRenewed { Terminal.say(words.renewed) }
        }
        if let refused = words.refused(report) { Terminal.writeError(refused) }
        if let held = report.heldDeletions { Terminal.writeError(words.held(held)) }
      }
    }
    let interruption = Interruption { task.cancel() }
    do {
      try await task.value
    } catch SyncError.Code.cancelled {
      // The person stopped it: that is how watching ends.
    }
    withExtendedLifetime(interruption) {}
    Terminal.progress("")
  }
}
