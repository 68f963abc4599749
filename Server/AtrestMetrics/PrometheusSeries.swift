// SPDX-License-Identifier: Apache-2.0
// The values behind metrics, one per combination of a name and its labels.

import CoreMetrics
import Synchronization

/// A value that can be printed.
protocol PrometheusSeries: AnyObject, Sendable {
  /// `counter`, `gauge` or `histogram`.
  var type: String { get }
  /// The lines of this series, without a newline at the end of the last.
  func lines(name: String, labels: String) -> [String]
}

extension PrometheusSeries {
  fileprivate func line(_ name: String, _ labels: String, _ value: String) -> String {
    labels.isEmpty ? "\(name) \(value)" : "\(name){\(labels)} \(value)"
  }
}

/// Only grows.
final class CounterSeries: PrometheusSeries, CounterHandler {
  private let value = Atomic<Int64>(0)

  var type: String { "counter" }

  func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { value.store(0, ordering: .relaxed) }

  func lines(name: String, labels: String) -> [String] {
    [line(name, labels, "\(value.load(ordering: .relaxed))")]
  }
}

/// Only grows, in fractions.
final class FloatingPointCounterSeries: PrometheusSeries, FloatingPointCounterHandler {
  private let value = Mutex(0.0)

  var type: String { "counter" }

  func increment(by amount: Double) { value.withLock { $0 += max(0, amount) } }
  func reset() { value.withLock { $0 = 0 } }

  func lines(name: String, labels: String) -> [String] {
    [line(name, labels, prometheusNumber(value.withLock { $0 }))]
  }
}

/// What something is at the moment.
final class GaugeSeries: PrometheusSeries, MeterHandler, RecorderHandler {
  private let value = Mutex(0.0)

  var type: String { "gauge" }

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { self.value.withLock { $0 = value } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(value) }
  func record(_ value: Double) { set(value) }

  func lines(name: String, labels: String) -> [String] {
    [line(name, labels, prometheusNumber(value.withLock { $0 }))]
  }
}

/// How values are distributed, and their sum.
final class HistogramSeries: PrometheusSeries, TimerHandler, RecorderHandler {
  private struct State {
    /// Per bucket; the last one has no upper bound.
    var counts: [UInt64]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let state: Mutex<State>

  /// - Parameter bounds: The upper bounds of the buckets, ascending.
  init(bounds: [Double]) {
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  var type: String { "histogram" }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    guard value.isFinite else { return }
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.counts[bucket] += 1
      state.sum += value
    }
  }

  /// Durations are printed in seconds, as Prometheus wants them.
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

  func lines(name: String, labels: String) -> [String] {
    let state = state.withLock { $0 }
    let prefix = labels.isEmpty ? "" : labels + ","
    var total: UInt64 = 0
    var lines: [String] = []
    for (count, bound) in zip(state.counts, bounds + [.infinity]) {
      total += count
      lines.append(
        line(name + "_bucket", prefix + "le=\"\(prometheusNumber(bound))\"", "\(total)"))
    }
    lines.append(line(name + "_sum", labels, prometheusNumber(state.sum)))
    lines.append(line(name + "_count", labels, "\(total)"))
    return lines
  }
}

/// A number as the text format has it.
func prometheusNumber(_ value: Double) -> String {
  if value.isNaN { return "NaN" }
  if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
  return value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
}
