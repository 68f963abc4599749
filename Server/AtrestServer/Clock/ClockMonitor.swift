// SPDX-License-Identifier: Apache-2.0
// Notices that the server's clock is likely wrong: that it stepped, or that most devices' clocks
// differ from it.

import AtrestReplication
import Logging
import Synchronization

/// Why the server's clock is likely wrong. Offsets in milliseconds.
package enum ClockDoubt: Hashable, Sendable {
  /// It shows so much less than it showed before the server was started.
  case wentBack(by: Int64)
  /// It was set while the server ran: forward, or, below zero, back.
  case stepped(by: Int64)
  /// The devices of most accounts are so far ahead of it, or, below zero, behind.
  case differsFromDevices(by: Int64)

  /// What happened, then what to do.
  package var userMessage: String {
    let what =
      switch self {
      case .wentBack(let by):
        "The server's clock shows \(Self.text(by)) less than it did before the server was started."
      case .stepped(let by):
        "The server's clock was set \(by < 0 ? "back" : "forward") by \(Self.text(by))."
      case .differsFromDevices(let by):
        "The server's clock is \(Self.text(by)) \(by < 0 ? "ahead of" : "behind") most devices' clocks."
      }
    return what + " Check the time of this machine. Nothing is lost meanwhile; nothing is pruned."
  }

  private static func text(_ milliseconds: Int64) -> String {
    let seconds = milliseconds.magnitude / 1000
    return switch seconds {
    case 0..<120: "\(seconds) s"
    case 120..<7200: "\(seconds / 60) min"
    case 7200..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) days"
    }
  }
}

/// Compares the server's wall clock with a clock that nobody sets, with what the store noted before
/// a start, and with its devices' clocks.
///
/// It only ever warns, and keeps what is kept for a time from being pruned: no device's clock
/// changes what the server does for another account. One account is one voice, however many devices
/// it has.
package final class ClockMonitor: Sendable {
  /// Smaller differences are not worth a word: what the server bears of a device. Milliseconds.
  static let tolerance: Int64 = 60_000
  /// Devices that were not heard of for longer are not asked: a day, in milliseconds.
  static let memoryMilliseconds: Int64 = 86_400_000
  /// How long a step is remembered where no device tells better: an hour, in milliseconds.
  static let stepMemoryMilliseconds: Int64 = 3_600_000

  private struct State {
    /// What the wall clock showed, less the clock that nobody sets.
    var base: Int64?
    var step: (milliseconds: Int64, at: Int64)?
    var doubt: ClockDoubt?
    var checks = 0
  }

  private let state = Mutex(State())
  private let environment: Environment
  private let registry: SessionRegistry
  private let highWater: WallTime
  private let logger: Logger

  /// - Parameter highWater: The greatest time that the clock showed before this start.
  package init(
    environment: Environment, registry: SessionRegistry, highWater: WallTime, logger: Logger
  ) {
    self.environment = environment
    self.registry = registry
    self.highWater = highWater
    self.logger = logger
  }

  /// Why the clock is likely wrong; nil while nothing says so.
  package var doubt: ClockDoubt? { state.withLock { $0.doubt } }

  /// Looks at all clocks. Once a minute. O(devices).
  package func check() {
    let now = environment.now()
    let uptime = environment.uptime?()
    let votes = registry.clockOffsets(
      heardSince: now.advanced(by: -Self.memoryMilliseconds))
    let (doubt, before, isFirst) = state.withLock { state in
      let before = state.doubt
      if let uptime {
        let base = now.milliseconds &- uptime
        if let last = state.base, (base &- last).magnitude > Self.tolerance.magnitude {
          state.step = (base &- last, uptime)
        }
        state.base = base
        if let step = state.step, uptime - step.at > Self.stepMemoryMilliseconds {
          state.step = nil
        }
      }
      state.doubt = judge(now, state.step?.milliseconds, votes)
      // Devices that agree are better witnesses than a step.
      if state.doubt == nil { state.step = nil }
      state.checks += 1
      return (state.doubt, before, state.checks == 1)
    }
    if let doubt, doubt.sort != before?.sort {
      logger.warning("the server's clock is doubtful", metadata: ["why": "\(doubt.userMessage)"])
    } else if doubt == nil, before != nil, !isFirst {
      logger.notice("the server's clock agrees with others again")
    }
  }

  private func judge(_ now: WallTime, _ step: Int64?, _ votes: [Int64]) -> ClockDoubt? {
    let isFar = { (offset: Int64) in offset.magnitude > Self.tolerance.magnitude }
    if !votes.isEmpty {
      let median = votes.sorted()[votes.count / 2]
      let far = votes.filter { isFar($0) && ($0 < 0) == (median < 0) }
      return far.count * 2 > votes.count ? .differsFromDevices(by: median) : nil
    }
    if let step { return .stepped(by: step) }
    let (behind, overflow) = highWater.milliseconds
      .subtractingReportingOverflow(now.milliseconds)
    return !overflow && behind > Self.tolerance ? .wentBack(by: behind) : nil
  }
}

extension ClockDoubt {
  /// Its sort, whatever the offset: what a line of the log is worth.
  fileprivate var sort: Int {
    switch self {
    case .wentBack: 0
    case .stepped: 1
    case .differsFromDevices: 2
    }
  }
}
