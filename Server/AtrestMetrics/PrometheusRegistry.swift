// SPDX-License-Identifier: Apache-2.0
// A backend of swift-metrics that prints what it holds for Prometheus.

import CoreMetrics
import Synchronization

/// Holds metrics and prints them in Prometheus' text format, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats). Thread-safe.
///
/// A metric that is created again is the one that there is. A name with two types keeps the first.
package final class PrometheusRegistry: MetricsFactory {
  private struct Key: Hashable {
    let name: String
    let labels: String
  }

  /// The most series. Beyond it new ones are counted nowhere: labels with values of peers' choice
  /// would otherwise fill the memory.
  package static let maxSeries = 4_096

  /// Upper bounds of durations, in seconds: from what a call takes in memory to a poll's minute.
  static let secondsBounds = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    10, 30, 60,
  ]
  /// Upper bounds of counts.
  static let countBounds: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

  private let help: [String: String]
  private let bounds: [String: [Double]]
  private let series = Mutex<[Key: any PrometheusSeries]>([:])

  /// - Parameters:
  ///   - help: What metrics mean, by name, in a sentence.
  ///   - bounds: The upper bounds of the buckets of recorders, by name.
  package init(help: [String: String] = [:], bounds: [String: [Double]] = [:]) {
    self.help = help
    self.bounds = bounds
  }

  /// All metrics, sorted by name.
  package func text() -> String {
    let all = series.withLock { $0 }.sorted {
      ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels)
    }
    var lines: [String] = []
    var previous: (name: String, type: String)?
    for (key, series) in all {
      if previous?.name != key.name {
        if let help = help[key.name] {
          lines.append("# HELP \(key.name) \(Self.escapedHelp(help))")
        }
        lines.append("# TYPE \(key.name) \(series.type)")
        previous = (key.name, series.type)
      }
      guard previous?.type == series.type else { continue }
      lines += series.lines(name: key.name, labels: key.labels)
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func find<Series: PrometheusSeries>(
    _ label: String, _ dimensions: [(String, String)], _ make: () -> Series
  ) -> Series {
    let key = Key(name: Self.name(label), labels: Self.labels(dimensions))
    return series.withLock { series in
      if let known = series[key] as? Series { return known }
      let new = make()
      if series[key] == nil, series.count < Self.maxSeries { series[key] = new }
      return new
    }
  }

  // MARK: MetricsFactory

  package func makeCounter(
    label: String, dimensions: [(String, String)]
  ) -> any CounterHandler { find(label, dimensions) { CounterSeries() } }

  package func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    find(label, dimensions) { FloatingPointCounterSeries() }
  }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    find(label, dimensions) { GaugeSeries() }
  }

  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    guard aggregate else { return find(label, dimensions) { GaugeSeries() } }
    return find(label, dimensions) { HistogramSeries(bounds: bounds[label] ?? Self.countBounds) }
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    find(label, dimensions) { HistogramSeries(bounds: Self.secondsBounds) }
  }

  package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
  package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
    forget(handler)
  }
  package func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
  package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
  package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

  private func forget(_ handler: AnyObject) {
    series.withLock { series in
      guard let key = series.first(where: { $0.value === handler })?.key else { return }
      series[key] = nil
    }
  }

  // MARK: Text

  /// A valid name: `[a-zA-Z_:][a-zA-Z0-9_:]*`.
  private static func name(_ label: String) -> String {
    var name = String(label.unicodeScalars.map { isNamePart($0) ? Character($0) : "_" })
    if name.first.map({ ("0"..."9").contains($0) }) ?? true { name = "_" + name }
    return name
  }

  private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", ":": true
    default: false
    }
  }

  private static func labels(_ dimensions: [(String, String)]) -> String {
    dimensions.map { name, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(self.name(name).replacing(":", with: "_"))=\"\(escaped)\""
    }.joined(separator: ",")
  }

  private static func escapedHelp(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }
}
