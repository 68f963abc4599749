// SPDX-License-Identifier: Apache-2.0
// Weighs the heap against the ledger.

import CAtrestHeapMeter

/// What the heap held when the scales were set up counts as nothing.
struct Scales {
  /// What is made once and kept: tables that have grown.
  private static let slackBytes = 256 * 1024
  private let start = Int(heap_meter_bytes())
  private(set) var weighings = 0

  /// - Throws: `Unaccounted`, if the heap has grown by more than twice what is charged.
  mutating func weigh(against charged: Int, after step: @autoclosure () -> String) throws {
    weighings += 1
    let grown = Int(heap_meter_bytes()) - start
    guard grown <= 2 * charged + Self.slackBytes else {
      throw Unaccounted(step: step(), grown: grown, charged: charged)
    }
  }
}

/// The heap holds more than the ledger knows of.
struct Unaccounted: Error, CustomStringConvertible {
  let step: String
  let grown: Int
  let charged: Int

  var description: String {
    "after \(step) the heap had grown by \(grown) bytes, and \(charged) were charged"
  }
}
