// SPDX-License-Identifier: Apache-2.0
// Randomness for property tests: every case has a seed, and a failure prints the one to replay.

import Foundation
import Testing

/// SplitMix64: small, fast, and deterministic on every platform.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. Equal seeds give equal sequences.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next random number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// True with probability 1/n.
  public mutating func oneIn(_ n: Int) -> Bool {
    Int.random(in: 0..<n, using: &self) == 0
  }
}

/// How many cases of a randomised test run: the share that `SYNC_SHARE` asks for, all without it.
///
/// `SYNC_SHARE=5` runs a fifth, as `make test` does; `make soak` runs all, on seeds of its own.
/// - Parameter full: The number that the test is meant to have.
/// - Returns: At least three, or `full` if that is less.
public func caseCount(_ full: Int) -> Int {
  max(full / max(1, number("SYNC_SHARE") ?? 1), min(3, full))
}

/// Those of a test's numbered cases that run: every nth for `SYNC_SHARE=n`, all without it.
///
/// `SYNC_FIRST` says with which they begin.
public func sampled(_ cases: Range<Int>) -> [Int] {
  let step = min(max(1, number("SYNC_SHARE") ?? 1), max(1, cases.count / 3))
  let first = max(0, number("SYNC_FIRST") ?? 0)
  return cases.filter { $0 % step == first % step }
}

/// The seeds of a test with an argument for each case. `SYNC_FIRST` says where they begin.
public func seeds(_ full: Int) -> Range<UInt64> {
  let first = UInt64(max(0, number("SYNC_FIRST") ?? 1))
  return first..<first + UInt64(caseCount(full))
}

private func number(_ variable: String) -> Int? {
  ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
}

/// Checks a law for many seeds. Stops at the first failure and prints the variable that replays it:
/// `SYNC_SEED=0x5f3a91 Scripts/run-tests --filter …`.
///
/// - Parameters:
///   - cases: How many, of which `SYNC_SHARE` runs a share.
///   - law: Returns whether the law holds.
public func checkLaw(
  cases: Int = 10_000, sourceLocation: SourceLocation = #_sourceLocation,
  _ law: (inout SeededRandom) throws -> Bool
) rethrows {
  let replay = ProcessInfo.processInfo.environment["SYNC_SEED"]
  let replayed = replay.flatMap { UInt64($0.dropFirst(2), radix: 16) }
  for seed in replayed.map({ $0..<$0 + 1 }) ?? seeds(cases) {
    var random = SeededRandom(seed: seed)
    guard try law(&random) else {
      Issue.record("SYNC_SEED=0x\(String(seed, radix: 16))", sourceLocation: sourceLocation)
      return
    }
  }
}
