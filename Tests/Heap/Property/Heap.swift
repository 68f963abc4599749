// SPDX-License-Identifier: Apache-2.0
// Finds memory without a charge: whatever a peer sends and leaves unread, the heap grows by at most
// twice the charged bytes plus a constant.

import CAtrestHeapMeter
import Glibc

/// `heap [--seeds COUNT] [--seed SEED]`. A separate process, because the whole heap is measured.
@main
struct Heap {
  static func main() async {
    heap_meter_start()
    let seeds = number(after: "--seed").map { $0...$0 } ?? 1...(number(after: "--seeds") ?? 30)
    await hold("a server's", seeds) { try await ServerHistory.run(seed: $0) }
    await hold("a client's", seeds) { try ClientHistory.run(seed: $0) }
  }

  /// - Parameter history: Runs a history and returns how often the heap was measured.
  private static func hold(
    _ whose: String, _ seeds: ClosedRange<UInt64>, _ history: @Sendable (UInt64) async throws -> Int
  ) async {
    var weighings = 0
    for seed in seeds {
      do {
        weighings += try await history(seed)
      } catch {
        print("\(whose) peers: \(error)\nReplay it with: heap --seed 0x\(String(seed, radix: 16))")
        exit(1)
      }
    }
    print(
      "\(whose) peers, \(seeds.count) seeds, weighed \(weighings) times: what the heap held was charged"
    )
  }

  private static func number(after name: String) -> UInt64? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else {
      return nil
    }
    let text = arguments[index + 1]
    return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }
}
