// SPDX-License-Identifier: Apache-2.0
// What this process takes of the machine, under the names that all programs use for it.

import AtrestCommandLine
import AtrestWire
import CoreMetrics
import Foundation
import Synchronization

/// Gauges of the process, set when somebody looks.
struct ProcessMetrics: Sendable {
  static let help: [String: String] = [
    "process_cpu_seconds_total": "Time on all processors.",
    "process_resident_memory_bytes": "Memory in RAM.",
    "process_start_time_seconds": "When the process started, since 1970.",
    "atrest_build_info": "1; the labels say what runs.",
  ]

  private let cpu: FloatingPointCounter
  /// What was counted of it.
  private let told = SharedSeconds()
  private let memory: Gauge

  init(factory: any MetricsFactory) {
    cpu = FloatingPointCounter(
      label: "process_cpu_seconds_total", dimensions: [], factory: factory)
    memory = Gauge(label: "process_resident_memory_bytes", dimensions: [], factory: factory)
    Gauge(label: "process_start_time_seconds", dimensions: [], factory: factory)
      .record(Date().timeIntervalSince1970)
    Gauge(
      label: "atrest_build_info",
      dimensions: [("version", ProgramVersion.text), ("build", BuildVersion.text)],
      factory: factory
    ).record(1)
  }

  func update() {
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      let all = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
      cpu.increment(by: told.advance(to: all))
    }
    // /proc has no size, so this is not a file that SmallFile reads.
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ")
    if let fields, fields.count > 1, let pages = Int(fields[1]) {
      memory.record(pages * sysconf(Int32(_SC_PAGESIZE)))
    }
  }

  private final class SharedSeconds: Sendable {
    private let value = Mutex(0.0)

    /// How much more it is than at the last call.
    func advance(to seconds: Double) -> Double {
      value.withLock { value in
        defer { value = max(value, seconds) }
        return max(0, seconds - value)
      }
    }
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}
