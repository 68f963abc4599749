// SPDX-License-Identifier: Apache-2.0
// The command that copies one store into another.

import ArgumentParser
import AtrestCommandLine
import AtrestReplication
import AtrestServer
import Foundation
import Synchronization

struct StoreCopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy a store: from a data folder to a database, or back.",
    discussion: """
      Stop the daemons of both stores first. Everything is copied but pairing codes, which end after five minutes: devices stay \
      paired, and notice nothing. Then both stores are read and compared. What was interrupted goes on with the same command; until it \
      is done, no daemon serves the copy.

        atrest-syncd store copy --from /var/lib/atrest-syncd --to postgresql://atrest@db/atrest
      """)

  @Option(
    help: ArgumentHelp("A postgresql:// URL, or a data folder.", valueName: "store"))
  var from: String
  @Option(
    help: ArgumentHelp("An empty one. A folder is made if need be.", valueName: "store"))
  var to: String
  @Flag(name: .customLong("allow-weak-commits"), help: "As in `serve`.")
  var allowsWeakCommits = false

  func run() async throws {
    try await reported {
      let (from, to) = (
        try StorePlace(parsing: from, option: "--from"), try StorePlace(parsing: to, option: "--to")
      )
      let session = StoreOptions.session(allowsWeakCommits: allowsWeakCommits)
      if case .folder(let a) = from, case .folder(let b) = to, a == b {
        throw CommandFailure("--from and --to name one folder. Name another one with --to.", .usage)
      }
      let source = try await from.open(for: .source, session)
      let target: any StoreArchive
      do {
        target = try await to.open(for: .target, session)
      } catch {
        await source.close()
        throw error
      }
      let result: Result<Copied, ArchiveCopyError>
      do throws(ArchiveCopyError) {
        result = .success(try await Self.copy(from: source, to: target))
      } catch {
        result = .failure(error)
      }
      await target.close()
      await source.close()
      do throws(ArchiveCopyError) {
        printLine(Self.text(try result.get(), from, to))
      } catch {
        throw CommandFailure(
          error.userMessage(from: "\(from)", to: "\(to)").linesEscapedForTerminal,
          ExitStatus(error))
      }
    }
  }

  private struct Copied {
    let result: ArchiveCopy.Result
    let copying: Duration
    let comparing: Duration
  }

  private static func copy(
    from source: any StoreArchive, to target: any StoreArchive
  ) async throws(ArchiveCopyError) -> Copied {
    let total: Int
    do throws(StoreError) { total = try await source.summary().records } catch {
      throw .source(error)
    }
    let meter = CopyMeter(records: total)
    defer { meter.end() }
    let result = try await ArchiveCopy(from: source, to: target) { meter.note($0) }.run()
    let (copying, comparing) = meter.durations
    return Copied(result: result, copying: copying, comparing: comparing)
  }

  private static func text(_ copied: Copied, _ from: StorePlace, _ to: StorePlace) -> String {
    let rows = copied.result.rows
    func count(_ table: ArchiveTable, _ noun: String) -> String {
      Text.counted(rows[table] ?? 0, noun)
    }
    let records = rows[.records] ?? 0
    let seconds = max(0.001, copied.copying / .seconds(1))
    // Below that it is the opening that takes the time.
    let rate = records >= 10_000 ? " (\(Int(Double(records) / seconds)) records a second)" : ""
    let isRest = copied.result.isResumed ? "The rest of an earlier copy: " : "Copied: "
    let next =
      switch to {
      case .folder(let path): "atrest-syncd serve --data \(path.escapedForTerminal)"
      case .database: "atrest-syncd serve --store \(to) --data DIR"
      }
    return """
      \(isRest)\(count(.accounts, "account")), \(count(.devices, "device")), \
      \(count(.records, "record")), \(count(.events, "event")) in \
      \(String(format: "%.1f", seconds)) s\(rate).
      Both stores were read again, in \(String(format: "%.1f", copied.comparing / .seconds(1))) s, and \
      hold the same. Digest: \(Hexadecimal.encoded(copied.result.digest))
      Pairing codes were not copied: make new ones.
      Devices know the server by identity.pem, which is no part of a store: copy it into the data folder of each daemon of \
      \(to), or they have to pair anew.
      Start with: \(next)
      Do not start a daemon on \(from) any more: devices would have two servers.
      """
  }
}

/// Shows on a terminal how far a copy is. In a pipe it says nothing.
private final class CopyMeter: Sendable {
  private struct State {
    var lastLine: ContinuousClock.Instant?
    var comparingSince: ContinuousClock.Instant?
    var isShown = false
  }

  private static let interval: Duration = .milliseconds(200)

  private let records: Int
  private let start = ContinuousClock.now
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let state = Mutex(State())

  init(records: Int) {
    self.records = records
  }

  func note(_ step: ArchiveCopy.Step) {
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      if step.work == .comparing, state.comparingSince == nil { state.comparingSince = now }
      guard isTerminal, state.lastLine.map({ now >= $0.advanced(by: Self.interval) }) ?? true else {
        return false
      }
      state.lastLine = now
      state.isShown = true
      return true
    }
    if isDue { printError("\r\u{1B}[K" + text(step, now)) }
  }

  private func text(_ step: ArchiveCopy.Step, _ now: ContinuousClock.Instant) -> String {
    let seconds = max(0.001, start.duration(to: now) / .seconds(1))
    return switch step.work {
    case .copying(.records):
      "\(step.rows) of \(records) records, \(Int(Double(step.rows) / seconds)) a second"
    case .copying(let table): "\(step.rows) \(table)"
    case .comparing: "comparing: \(step.rows) of \(records) records"
    }
  }

  /// Takes the line away.
  func end() {
    if state.withLock({ $0.isShown }) { printError("\r\u{1B}[K") }
  }

  /// How long copying took, and comparing.
  var durations: (Duration, Duration) {
    let now = ContinuousClock.now
    let middle = state.withLock { $0.comparingSince } ?? now
    return (start.duration(to: middle), middle.duration(to: now))
  }
}
