// SPDX-License-Identifier: Apache-2.0
// A device that Benchmarks/postgresql-large made: its secrets follow from its number.

import AtrestReplication
import Foundation

/// The one device of an account that was filled without the daemon.
struct NumberedDevice {
  /// The numbers of accounts begin behind it, far from those that a daemon gives.
  private static let base: UInt64 = 1_000_000_000_000
  /// The account's number, the device's, and the name of the account's only commit.
  private let number: UInt64

  /// - Parameter index: From 0.
  init(_ index: Int) {
    number = Self.base + UInt64(index)
  }

  /// The account's records, all of one commit.
  static let records = 20

  var cursor: Cursor { Cursor(commit: number, sequence: UInt64(Self.records)) }

  /// - Parameter other: Any caller of a daemon with the same certificate.
  func caller(like other: Caller, at address: String) throws -> Caller {
    let digits = String(number, radix: 16)
    func padded(_ count: Int) -> String {
      String(repeating: "0", count: count - digits.count) + digits
    }
    return try Caller(
      like: other, at: address, replica: ReplicaID(rawValue: number),
      token: padded(16) + padded(64))
  }
}
