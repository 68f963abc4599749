// SPDX-License-Identifier: Apache-2.0
// Detects that the server's clock is probably wrong: it stepped, or most devices' clocks differ
// from it.

import AtrestReplication
import Logging
import Synchronization

/// The reason why the server's clock is probably wrong. Offsets in milliseconds.
package enum ClockDoubt: Hashable, Sendable {
  /// The clock shows an earlier time than before the server's last start, by this much.
  case wentBack(by: Int64)
  /// The clock was set while the server ran: forward, or back if negative.
  case stepped(by: Int64)
  /// The devices of most accounts are ahead of the server's clock by this much, or behind if
  /// negative.
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
    return what + " Check the time of this machine. Nothing is lost meanwhile."
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

/// Compares the server's wall clock with the monotonic clock, with the latest time in the store,
/// and with its devices' clocks.
///
/// The monitor only warns. A device's clock never affects another account. Each account has one
/// vote, however many devices it has.
package final class ClockMonitor: Sendable {
  /// Smaller differences are ignored. The same tolerance as for devices. Milliseconds.
  static let tolerance: Int64 = 60_000
  /// Devices that were silent for longer have no vote: one day, in milliseconds.
  static let memoryMilliseconds: Int64 = 86_400_000
  /// How long a step is remembered if no device votes: one hour, in milliseconds.
  static let stepMemoryMilliseconds: Int64 = 3_600_000

  private struct State {
    /// The wall clock minus the monotonic clock.
    var base: Int64?
    var step: (milliseconds: Int64, at: Int64)?
    var doubt: ClockDoubt?
    var checks = 0
  }

  private let state = Mutex(State())
  private let environment: Environment
  private let registries: [SessionRegistry]
  private let lastWritten: WallTime
  private let logger: Logger

  /// - Parameters:
  ///   - lastWritten: What the clock showed at the last write before this start.
  package init(
    environment: Environment, registries: [SessionRegistry], lastWritten: WallTime, logger: Logger
  ) {
    self.environment = environment
    self.registries = registries
    self.lastWritten = lastWritten
    self.logger = logger
  }

  /// Why the clock is probably wrong. Nil if nothing indicates it.
  package var doubt: ClockDoubt? { state.withLock { $0.doubt } }

  /// Compares all clocks. Call once a minute. O(devices).
  package func check() {
    let now = environment.now()
    let uptime = environment.uptime?()
    let horizon = now.advanced(by: -Self.memoryMilliseconds)
    let votes = registries.flatMap { $0.clockOffsets(heardSince: horizon) }
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
      // Agreeing devices are better evidence than a step.
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
    let (behind, overflow) = lastWritten.milliseconds
      .subtractingReportingOverflow(now.milliseconds)
    return !overflow && behind > Self.tolerance ? .wentBack(by: behind) : nil
  }
}

extension ClockDoubt {
  /// The sort of doubt without the offset. The log gets one line per sort.
  fileprivate var sort: Int {
    switch self {
    case .wentBack: 0
    case .stepped: 1
    case .differsFromDevices: 2
    }
  }
}
