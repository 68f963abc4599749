// SPDX-License-Identifier: Apache-2.0
// Reads rows without trapping: a database may be damaged, or changed by hand. Pure.

import AtrestPostgreSQL
import AtrestReplication

/// The values of one row.
struct PostgresRow {
  private let values: [PostgresValue]

  init(_ values: [PostgresValue]) {
    self.values = values
  }

  /// An `int8` that is not null.
  func integer(_ column: Int) throws(StoreError) -> Int64 { try required(column, \.int8) }

  func optionalInteger(_ column: Int) throws(StoreError) -> Int64? {
    try optional(column, \.int8)
  }

  /// How many there are of something. So far from the end of its type that sums do not trap.
  func count(_ column: Int) throws(StoreError) -> Int {
    let number = try integer(column)
    guard (0...(1 << 56)).contains(number) else { throw .wrongRow("a count cannot be") }
    return Int(number)
  }

  /// A number without a sign, of which the database keeps the bits.
  func bits(_ column: Int) throws(StoreError) -> UInt64 {
    UInt64(bitPattern: try integer(column))
  }

  func time(_ column: Int) throws(StoreError) -> WallTime {
    WallTime(milliseconds: try integer(column))
  }

  func optionalTime(_ column: Int) throws(StoreError) -> WallTime? {
    try optionalInteger(column).map { WallTime(milliseconds: $0) }
  }

  func replica(_ column: Int) throws(StoreError) -> ReplicaID {
    ReplicaID(rawValue: try bits(column))
  }

  func optionalReplica(_ column: Int) throws(StoreError) -> ReplicaID? {
    try optionalInteger(column).map { ReplicaID(rawValue: UInt64(bitPattern: $0)) }
  }

  func account(_ column: Int) throws(StoreError) -> AccountID {
    AccountID(rawValue: try integer(column))
  }

  func cell(_ column: Int) throws(StoreError) -> CellNumber {
    guard let number = UInt16(exactly: try integer(column)),
      let cell = CellNumber(stored: Int64(number))
    else { throw .wrongRow("a cell's number cannot be") }
    return cell
  }

  func optionalCell(_ column: Int) throws(StoreError) -> CellNumber? {
    try optionalInteger(column) == nil ? nil : try cell(column)
  }

  func text(_ column: Int) throws(StoreError) -> String { try required(column, \.text) }

  func bytes(_ column: Int) throws(StoreError) -> [UInt8] { try required(column, \.bytea) }

  func optionalBytes(_ column: Int) throws(StoreError) -> [UInt8]? {
    try optional(column, \.bytea)
  }

  func flag(_ column: Int) throws(StoreError) -> Bool { try required(column, \.bool) }

  /// The index of a query, from `WITH ORDINALITY`, which counts from 1.
  func index(_ column: Int, below count: Int) throws(StoreError) -> Int {
    let number = try integer(column)
    guard (1...Int64(max(1, count))).contains(number), count > 0 else {
      throw .wrongRow("an answer to nothing")
    }
    return Int(number) - 1
  }

  private func required<Value>(
    _ column: Int, _ value: (PostgresValue) -> Value?
  ) throws(StoreError) -> Value {
    guard values.indices.contains(column), let found = value(values[column]) else {
      throw .wrongRow("a column cannot be read")
    }
    return found
  }

  private func optional<Value>(
    _ column: Int, _ value: (PostgresValue) -> Value?
  ) throws(StoreError) -> Value? {
    if values.indices.contains(column), values[column] == .null { return nil }
    return try required(column, value)
  }
}

extension StoreError {
  /// The database holds what cannot be. The reason names no contents.
  static func wrongRow(_ reason: String) -> StoreError {
    .damaged(path: "The database", reason: reason)
  }
}
