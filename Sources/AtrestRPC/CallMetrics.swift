// SPDX-License-Identifier: Apache-2.0
// Counts and times a server's calls in swift-metrics, whatever backend it was given.

import AtrestHTTP2
import CoreMetrics
import Synchronization

/// Metrics of calls, by method and status code: `configuration.onCallEnd = CallMetrics().record`.
///
/// The names and labels are those of go-grpc-prometheus, so that dashboards made for any gRPC
/// server work: `grpc_server_handled_total` and `grpc_server_handling_seconds`, by `grpc_service`
/// and `grpc_method`, the former by `grpc_code`, too. Thread-safe; a call costs a lookup.
public final class CallMetrics: Sendable {
  private struct Method {
    let dimensions: [(String, String)]
    let duration: Timer
    var handled: [StatusCode: Counter] = [:]
  }

  private let factory: any MetricsFactory
  private let methods = Mutex<[String?: Method]>([:])

  /// - Parameter factory: The backend; the process's own unless another is given.
  public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

  /// Records a call.
  public func record(_ call: EndedCall) {
    let (counter, timer) = methods.withLock { methods -> (Counter, Timer) in
      var method = methods.removeValue(forKey: call.path) ?? make(call.path)
      let counter =
        method.handled[call.code]
        ?? Counter(
          label: "grpc_server_handled_total",
          dimensions: method.dimensions + [("grpc_code", Self.name(of: call.code))],
          factory: factory)
      method.handled[call.code] = counter
      methods[call.path] = method
      return (counter, method.duration)
    }
    counter.increment()
    timer.recordNanoseconds(call.duration.nanoseconds)
  }

  /// A status code as the specification writes it: `DEADLINE_EXCEEDED`.
  private static func name(of code: StatusCode) -> String {
    "\(code)".reduce(into: "") { name, letter in
      name += letter.isUppercase ? "_\(letter)" : letter.uppercased()
    }
  }

  private func make(_ path: String?) -> Method {
    let parts = path.map { $0.dropFirst().split(separator: "/") } ?? []
    let isKnown = parts.count == 2
    let dimensions = [
      ("grpc_service", isKnown ? String(parts[0]) : "unknown"),
      ("grpc_method", isKnown ? String(parts[1]) : "unknown"),
    ]
    return Method(
      dimensions: dimensions,
      duration: Timer(
        label: "grpc_server_handling_seconds", dimensions: dimensions, factory: factory))
  }
}

extension Duration {
  /// Whole nanoseconds. Saturates after 292 years.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : product &+ attoseconds / 1_000_000_000
  }
}
