// SPDX-License-Identifier: Apache-2.0
// The standard health service: whether to send calls here.

import GRPC
import SyncProtocol
import Synchronization
import Transport

/// Says SERVING until the server drains. Thread-safe.
package final class HealthService: Sendable {
  private struct State {
    var isServing = true
    var watches: [ObjectIdentifier: HealthWatch] = [:]
  }

  /// A probe that listens. An object so that it can be told from others.
  private final class HealthWatch: Sendable {
    let service: String
    let sink: any EventSink

    init(service: String, sink: any EventSink) {
      self.service = service
      self.sink = sink
    }
  }

  /// Probes that may listen at once, for anybody may.
  static let maxWatches = 100

  private let services: Set<String>
  private let state = Mutex(State())

  /// - Parameter services: Full names; the empty name, for the whole server, is always known.
  package init(services: [String]) {
    self.services = Set(services + [""])
  }

  /// The state now.
  package func check(_ bytes: [UInt8]) throws(Status) -> [UInt8] {
    let service = try decoded(HealthCheckRequest.self, bytes).service
    guard services.contains(service) else { throw Status(.notFound, "There is no such service.") }
    return HealthCheckResponse(state: current(service)).encoded
  }

  /// The state now and at every change.
  package func watch(_ bytes: [UInt8], sink: any EventSink) throws(Status) {
    let service = try decoded(HealthCheckRequest.self, bytes).service
    let watch = HealthWatch(service: service, sink: sink)
    let isTaken = state.withLock { state in
      guard state.isServing, state.watches.count < Self.maxWatches else { return false }
      state.watches[ObjectIdentifier(watch)] = watch
      return true
    }
    guard isTaken else { throw .busy }
    sink.onCancel { [weak self, weak watch] in
      guard let self, let watch else { return }
      remove(watch)
    }
    _ = sink.send(HealthCheckResponse(state: current(service)).encoded)
  }

  /// Says NOT_SERVING from now on, and ends the streams that listened for it.
  package func stopServing() {
    let watches = state.withLock { state in
      state.isServing = false
      defer { state.watches = [:] }
      return Array(state.watches.values)
    }
    for watch in watches {
      _ = watch.sink.send(HealthCheckResponse(state: current(watch.service)).encoded)
      watch.sink.finish(.goingAway)
    }
  }

  private func remove(_ watch: HealthWatch) {
    state.withLock { _ = $0.watches.removeValue(forKey: ObjectIdentifier(watch)) }
  }

  private func current(_ service: String) -> HealthCheckResponse.State {
    guard services.contains(service) else { return .serviceUnknown }
    return state.withLock { $0.isServing } ? .serving : .notServing
  }
}
