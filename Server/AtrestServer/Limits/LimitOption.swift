// SPDX-License-Identifier: Apache-2.0
// How a limit is written, parsed and bounded, and which limits depend on each other.

import AtrestRPC

/// One row of ``ServerLimits/table``.
package struct LimitOption: Sendable {
  /// The unit of a limit's values.
  package enum Unit: String, Sendable {
    /// A plain number.
    case count
    /// Bytes. `KiB`, `MiB` or `GiB` may follow the number.
    case bytes
    /// Seconds. `ms`, `s`, `m` or `h` may follow the number.
    case time
  }

  /// The name, as written before `=`.
  package let name: String
  package let unit: Unit
  /// The valid values. Times in milliseconds.
  package let range: ClosedRange<Int>
  /// What it bounds and what happens at the bound, in one or two sentences.
  package let meaning: String
  private let get: @Sendable (ServerLimits) -> Int
  private let set: @Sendable (inout ServerLimits, Int) -> Void

  /// A limit in plain numbers.
  static func count(
    _ name: String, _ path: WritableKeyPath<ServerLimits, Int> & Sendable,
    _ range: ClosedRange<Int>, _ meaning: String
  ) -> LimitOption {
    LimitOption(
      name: name, unit: .count, range: range, meaning: meaning, get: { $0[keyPath: path] },
      set: { $0[keyPath: path] = $1 })
  }

  /// A limit in bytes.
  static func bytes(
    _ name: String, _ path: WritableKeyPath<ServerLimits, Int> & Sendable,
    _ range: ClosedRange<Int>, _ meaning: String
  ) -> LimitOption {
    LimitOption(
      name: name, unit: .bytes, range: range, meaning: meaning, get: { $0[keyPath: path] },
      set: { $0[keyPath: path] = $1 })
  }

  /// A limit in time. The range is in seconds.
  static func time(
    _ name: String, _ path: WritableKeyPath<ServerLimits, Duration> & Sendable,
    _ seconds: ClosedRange<Int>, _ meaning: String
  ) -> LimitOption {
    LimitOption(
      name: name, unit: .time, range: seconds.lowerBound * 1000...seconds.upperBound * 1000,
      meaning: meaning,
      get: { limits in
        let (seconds, attoseconds) = limits[keyPath: path].components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
      },
      set: { $0[keyPath: path] = .milliseconds($1) })
  }

  /// The value of this limit in a set of limits. Times in milliseconds.
  package func value(in limits: ServerLimits) -> Int { get(limits) }

  /// Formats a value as `ServerLimits.set` parses it: `64KiB`, `10s`, `1000`.
  package func text(_ value: Int) -> String {
    guard let (suffix, factor) = unit.suffixes.last(where: { value != 0 && value % $0.factor == 0 })
    else { return "\(value)" }
    return "\(value / factor)\(suffix)"
  }

  /// The range in the form that people read.
  package var rangeText: String { "\(text(range.lowerBound)) to \(text(range.upperBound))" }

  fileprivate func apply(_ text: String, to limits: inout ServerLimits) throws(LimitError) {
    guard let value = number(text), range.contains(value) else { throw .outOfRange(self) }
    set(&limits, value)
  }

  /// Parses a value from the command line. Nil if it is invalid.
  private func number(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard (1...18).contains(digits.count), let number = Int(digits) else { return nil }
    let suffix = text.dropFirst(digits.count)
    let factor: Int
    if suffix.isEmpty {
      factor = unit == .time ? 1000 : 1
    } else if let known = unit.suffixes.first(where: { $0.suffix == suffix }) {
      factor = known.factor
    } else {
      return nil
    }
    let (value, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : value
  }
}

extension LimitOption.Unit {
  /// The unit suffixes, smallest first.
  fileprivate var suffixes: [(suffix: String, factor: Int)] {
    switch self {
    case .count: []
    case .bytes: [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
    case .time: [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
    }
  }
}

extension ServerLimits {
  /// Sets one limit, as in `max-connections=500`.
  /// - Throws: `LimitError`. The limits are unchanged then.
  package mutating func set(_ assignment: String) throws(LimitError) {
    guard let equals = assignment.firstIndex(of: "=") else { throw .notAnAssignment }
    let name = Self.currentName(of: String(assignment[..<equals]))
    guard let limit = Self.table.first(where: { $0.name == name }) else {
      throw .unknown(String(name.prefix(40)))
    }
    try limit.apply(String(assignment[assignment.index(after: equals)...]), to: &self)
  }

  /// The current name of a limit, given that name or a former one.
  package static func currentName(of name: String) -> String { formerNames[name] ?? name }

  /// Checks that the limits are consistent. Call after all assignments, because their order does
  /// not matter.
  /// - Parameter shards: The number of shards that share ``maxBufferedBytes``.
  /// - Throws: `LimitError.contradiction` if one limit makes another one unreachable.
  package func check(shards: Int) throws(LimitError) {
    var configuration = GRPCServer.Configuration()
    apply(to: &configuration)
    configuration.shardCount = shards
    let share = configuration.maxBufferedBytesPerShard
    try require("max-stream-bytes", within: "max-unsent-bytes", transport.maxUnsentBytes)
    for name in ["max-message-bytes", "max-unfinished-bytes", "max-unsent-bytes"] {
      try require(name, within: "max-buffered-bytes", share)
    }
  }

  private func require(_ name: String, within other: String, _ most: Int) throws(LimitError) {
    guard let limit = Self.table.first(where: { $0.name == name }), limit.value(in: self) > most
    else { return }
    throw .contradiction(limit, with: other, most: most)
  }
}

/// Why a limit cannot be set.
package enum LimitError: Error {
  /// The `=` is missing.
  case notAnAssignment
  /// No limit has this name.
  case unknown(String)
  /// The value is no number or outside the range.
  case outOfRange(LimitOption)
  /// The value exceeds what the other limit leaves room for, which is `most`.
  case contradiction(LimitOption, with: String, most: Int)

  /// What happened, then what to do.
  package var userMessage: String {
    switch self {
    case .notAnAssignment:
      "A limit is written NAME=VALUE. `atrest-syncd limits` lists names and values."
    case .unknown(let name):
      "There is no limit “\(name)”. `atrest-syncd limits` lists those that there are."
    case .outOfRange(let limit):
      "The limit \(limit.name) is a \(limit.unit.word) from \(limit.rangeText). Choose one."
    case .contradiction(let limit, let other, let most):
      "The limit \(limit.name) is more than \(other) leaves room for, which is \(limit.text(most)). Change one of the two."
    }
  }
}

extension LimitOption.Unit {
  fileprivate var word: String {
    switch self {
    case .count: "number"
    case .bytes: "number of bytes"
    case .time: "time"
    }
  }
}
