// SPDX-License-Identifier: Apache-2.0
// Compares the heap with the charged bytes.

import CAtrestHeapMeter

/// Measures heap growth since its creation.
struct Scales {
  /// Tables that are allocated once and kept.
  private static let slackBytes = 256 * 1024
  private let start = Int(heap_meter_bytes())
  private(set) var weighings = 0

  /// - Throws: `Unaccounted` if the heap has grown by more than twice the charged bytes.
  mutating func weigh(against charged: Int, after step: @autoclosure () -> String) throws {
    weighings += 1
    let grown = Int(heap_meter_bytes()) - start
    guard grown <= 2 * charged + Self.slackBytes else {
      throw Unaccounted(step: step(), grown: grown, charged: charged)
    }
  }
}

/// The heap contains more than the ledger accounts for.
struct Unaccounted: Error, CustomStringConvertible {
  let step: String
  let grown: Int
  let charged: Int

  var description: String {
    "after \(step) the heap had grown by \(grown) bytes, and \(charged) were charged"
  }
}
