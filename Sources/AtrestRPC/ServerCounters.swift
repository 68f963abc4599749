// SPDX-License-Identifier: Apache-2.0
// Counts calls and connections for metrics.

import AtrestHTTP2
import Synchronization

/// Counters since the server started, and gauges of what is open.
public struct ServerStatistics: Sendable, Equatable {
  /// Ended calls by status code. Codes that never occurred are absent.
  public var callsByCode: [StatusCode: Int] = [:]
  /// Active calls.
  public var activeCalls = 0
  /// Open connections, including those in a TLS handshake.
  public var activeConnections = 0
  /// Of these, connections that have not completed their handshakes.
  public var handshakingConnections = 0
  /// Of these, connections on which nobody has authenticated. They include the former.
  public var unauthenticatedConnections = 0
  /// TLS handshakes that failed, were cut off, or timed out.
  public var failedHandshakes = 0
  /// All ended calls.
  public var totalCalls: Int { callsByCode.values.reduce(0, +) }
}

/// The counters behind `ServerStatistics`, shared by all shards: one relaxed addition each.
final class ServerCounters: Sendable {
  private static let codes = StatusCode.allCases.count
  // Arrays cannot hold atomics, so this buffer is allocated once and freed in `deinit`.
  private nonisolated(unsafe) let ended: UnsafeMutablePointer<Atomic<Int>>
  private let activeCalls = Atomic(0)
  private let activeConnections = Atomic(0)
  private let failedHandshakes = Atomic(0)

  init() {
    ended = .allocate(capacity: Self.codes)
    for index in 0..<Self.codes { (ended + index).initialize(to: Atomic(0)) }
  }

  deinit {
    ended.deinitialize(count: Self.codes)
    ended.deallocate()
  }

  func started() { activeCalls.wrappingAdd(1, ordering: .relaxed) }

  func ended(_ code: StatusCode) {
    activeCalls.wrappingSubtract(1, ordering: .relaxed)
    ended[code.rawValue].wrappingAdd(1, ordering: .relaxed)
  }

  func opened() { activeConnections.wrappingAdd(1, ordering: .relaxed) }
  func handshakeFailed() { failedHandshakes.wrappingAdd(1, ordering: .relaxed) }
  func closed() { activeConnections.wrappingSubtract(1, ordering: .relaxed) }

  var statistics: ServerStatistics {
    var statistics = ServerStatistics()
    for code in StatusCode.allCases {
      let count = ended[code.rawValue].load(ordering: .relaxed)
      if count > 0 { statistics.callsByCode[code] = count }
    }
    statistics.activeCalls = activeCalls.load(ordering: .relaxed)
    statistics.activeConnections = activeConnections.load(ordering: .relaxed)
    statistics.failedHandshakes = failedHandshakes.load(ordering: .relaxed)
    return statistics
  }
}
