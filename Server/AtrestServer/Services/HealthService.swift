// SPDX-License-Identifier: Apache-2.0
// The standard gRPC health service.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestWire
import Synchronization

/// Reports SERVING until the server drains. Thread-safe.
package final class HealthService: Sendable {
  private struct State {
    var isServing = true
    /// Oldest first.
    var watches: [HealthWatch] = []
  }

  /// An open stream of a probe. A class, because it needs an identity.
  private final class HealthWatch: Sendable {
    let service: String
    let sink: any EventSink
    /// What it was told last.
    let told = Mutex<HealthCheckResponse.State?>(nil)

    init(service: String, sink: any EventSink) {
      self.service = service
      self.sink = sink
    }
  }

  /// Maximum number of open streams. Needs no token, so a new stream replaces the oldest: otherwise
  /// one peer could occupy all of them for good.
  static let maxWatches = 100

  /// The service name under which probes ask about the server's clock: NOT_SERVING while it is
  /// doubtful.
  package static let clockService = "atrest.clock"

  private let services: Set<String>
  private let clock: ClockMonitor?
  private let isStoreUsable: @Sendable () -> Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - services: Full service names. The empty name, the server as a whole, is always known.
  ///   - isStoreUsable: Whether calls that need the store can be served. Callable from any thread.
  package init(
    services: [String], clock: ClockMonitor? = nil,
    isStoreUsable: @escaping @Sendable () -> Bool = { true }
  ) {
    self.isStoreUsable = isStoreUsable
    self.services = Set(services + [""] + (clock == nil ? [] : [Self.clockService]))
    self.clock = clock
  }

  /// Returns the current state.
  package func check(_ bytes: [UInt8]) throws(Status) -> [UInt8] {
    let service = try decoded(HealthCheckRequest.self, bytes).service
    guard services.contains(service) else { throw Status(.notFound, "There is no such service.") }
    return HealthCheckResponse(state: current(service)).packed
  }

  /// Returns the states of all services.
  package func list(_ bytes: [UInt8]) throws(Status) -> [UInt8] {
    _ = try decoded(EmptyMessage.self, bytes)
    let states = services.map { ($0, current($0)) }
    return HealthListResponse(states: Dictionary(uniqueKeysWithValues: states)).packed
  }

  /// Streams the current state and every change.
  package func watch(_ bytes: [UInt8], sink: any EventSink) throws(Status) {
    let service = try decoded(HealthCheckRequest.self, bytes).service
    let watch = HealthWatch(service: service, sink: sink)
    let (isTaken, oldest) = state.withLock { state -> (Bool, HealthWatch?) in
      guard state.isServing else { return (false, nil) }
      let isFull = state.watches.count >= Self.maxWatches
      let oldest = isFull ? state.watches.removeFirst() : nil
      state.watches.append(watch)
      return (true, oldest)
    }
    guard isTaken else { throw .goingAway }
    oldest?.sink.finish(.busy)
    sink.onCancel { [weak self, weak watch] in
      guard let self, let watch else { return }
      remove(watch)
    }
    tell(watch)
  }

  /// Tells all streams whose state has changed.
  package func reconsider() {
    for watch in state.withLock({ $0.watches }) { tell(watch) }
  }

  private func tell(_ watch: HealthWatch) {
    let state = current(watch.service)
    let isNew = watch.told.withLock { told in
      defer { told = state }
      return told != state
    }
    if isNew { _ = watch.sink.send(HealthCheckResponse(state: state).packed) }
  }

  /// Whether the server as a whole is SERVING.
  package var isServing: Bool { current("") == .serving }

  /// Reports NOT_SERVING from now on and ends all streams.
  package func stopServing() {
    let watches = state.withLock { state in
      state.isServing = false
      defer { state.watches = [] }
      return state.watches
    }
    for watch in watches {
      tell(watch)
      watch.sink.finish(.goingAway)
    }
  }

  private func remove(_ watch: HealthWatch) {
    state.withLock { $0.watches.removeAll { $0 === watch } }
  }

  private func current(_ service: String) -> HealthCheckResponse.State {
    guard services.contains(service) else { return .serviceUnknown }
    if service == Self.clockService, clock?.doubt != nil { return .notServing }
    return state.withLock { $0.isServing } && isStoreUsable() ? .serving : .notServing
  }
}
