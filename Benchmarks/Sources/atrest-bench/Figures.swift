// SPDX-License-Identifier: Apache-2.0
// Formats figures in columns.

import Foundation

/// The duration of `body` in seconds.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
  let start = ContinuousClock.now
  try await body()
  let duration = ContinuousClock.now - start
  return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}

/// A number with fixed decimals and thousands separators.
func figure(_ value: Double, decimals: Int = 0) -> String {
  let text = String(format: "%.\(decimals)f", value)
  let parts = text.split(separator: ".")
  var digits = Array(parts.first ?? "")
  var index = digits.count - 3
  while index > 0 {
    digits.insert(",", at: index)
    index -= 3
  }
  return String(digits) + (parts.count > 1 ? "." + parts[1] : "")
}

/// Prints a row of a table.
func row(_ cells: String..., widths: [Int] = [30, 16, 16, 16, 16, 16]) {
  var line = ""
  for (index, cell) in cells.enumerated() {
    let padding = String(
      repeating: " ", count: max(0, (index < widths.count ? widths[index] : 14) - cell.count))
    line += index == 0 ? cell + padding : padding + cell
  }
  print(line)
}

/// The value below which the fraction `quantile` of the sorted samples lies.
func quantile(_ sorted: [Double], _ quantile: Double) -> Double {
  guard !sorted.isEmpty else { return .nan }
  return sorted[min(sorted.count - 1, Int(Double(sorted.count) * quantile))]
}

/// Prints a figure as a line that `Benchmarks/postgresql` reads.
func report(_ name: String, _ value: Double) {
  print("\(name): \(String(format: "%.3f", value))")
}
