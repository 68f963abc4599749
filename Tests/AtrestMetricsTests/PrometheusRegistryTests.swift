// SPDX-License-Identifier: Apache-2.0
// What a scraper reads: the text format, and that nobody fills the memory with labels.

import CoreMetrics
import Testing

@testable import AtrestMetrics

@Suite("The Prometheus registry", .timeLimit(.minutes(20)))
struct PrometheusRegistryTests {
  private let registry = PrometheusRegistry(
    help: ["calls_total": "Calls.\nAll of them."], bounds: ["share": [0.5, 1]])

  private func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Counter {
    Counter(label: label, dimensions: dimensions, factory: registry)
  }

  @Test("a counter has its help and its type once, above its series by label")
  func counters() {
    counter("calls_total", [("code", "OK")]).increment(by: 3)
    counter("calls_total", [("code", "ABORTED")]).increment()
    // The same counter again, not another one.
    counter("calls_total", [("code", "OK")]).increment()
    #expect(
      registry.text() == """
        # HELP calls_total Calls.\\nAll of them.
        # TYPE calls_total counter
        calls_total{code="ABORTED"} 1
        calls_total{code="OK"} 4

        """)
  }

  @Test("a gauge is its last value, a meter moves")
  func gauges() {
    Gauge(label: "bytes", dimensions: [], factory: registry).record(7)
    Gauge(label: "bytes", dimensions: [], factory: registry).record(2.5)
    let meter = Meter(label: "open", dimensions: [], factory: registry)
    meter.increment(by: 3)
    meter.decrement(by: 1)
    #expect(
      registry.text()
        == "# TYPE bytes gauge\nbytes 2.5\n# TYPE open gauge\nopen 2\n")
  }

  @Test("a histogram's buckets count what is at most their bound, the last one all")
  func histograms() {
    let share = Recorder(label: "share", aggregate: true, factory: registry)
    for value in [0.25, 0.5, 0.75, 2] { share.record(value) }
    share.record(Double.nan)
    #expect(
      registry.text() == """
        # TYPE share histogram
        share_bucket{le="0.5"} 2
        share_bucket{le="1"} 3
        share_bucket{le="+Inf"} 4
        share_sum 3.5
        share_count 4

        """)
  }

  @Test("durations are in seconds, and keep their labels beside the bound")
  func timers() {
    let timer = Timer(label: "wait_seconds", dimensions: [("method", "Get")], factory: registry)
    timer.recordNanoseconds(2_000_000)
    let lines = registry.text().split(separator: "\n")
    #expect(lines.contains("wait_seconds_bucket{method=\"Get\",le=\"0.001\"} 0"))
    #expect(lines.contains("wait_seconds_bucket{method=\"Get\",le=\"0.0025\"} 1"))
    #expect(lines.contains("wait_seconds_sum{method=\"Get\"} 0.002"))
  }

  @Test("a label's value cannot end its line, and names are valid ones")
  func escaping() {
    counter("a-b.c", [("of what?", "x\"} 1\ny \\")]).increment()
    #expect(registry.text() == "# TYPE a_b_c counter\na_b_c{of_what_=\"x\\\"} 1\\ny \\\\\"} 1\n")
  }

  @Test("there is an end to the number of series")
  func bound() {
    for number in 0..<(PrometheusRegistry.maxSeries + 100) {
      counter("calls_total", [("n", "\(number)")]).increment()
    }
    let series = registry.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(series.count == PrometheusRegistry.maxSeries)
  }

  @Test("a metric that is destroyed is no longer printed")
  func destroyed() {
    let gone = counter("gone_total")
    gone.increment()
    gone.destroy()
    #expect(registry.text().isEmpty)
  }
}
