// SPDX-License-Identifier: Apache-2.0
// What each account may hold, as `serve` is told it.

import ArgumentParser
import AtrestServer

/// How many records and bytes an account may hold.
struct QuotaOptions: ParsableArguments {
  @Option(
    name: .customLong("account-records"),
    help: ArgumentHelp("Records that one account may hold.", valueName: "number"))
  var records = AccountQuota.standard.records

  @Option(
    name: .customLong("account-bytes"),
    help: ArgumentHelp(
      "Bytes of records that one account may hold: a number, with K, M, G or T behind it for its 1024-fold.",
      valueName: "size"), transform: Self.size)
  var bytes = AccountQuota.standard.bytes

  /// What may be chosen: more than this a store of one file does not serve well.
  private static let limit = 1 << 50

  func validate() throws {
    guard (1...Self.limit).contains(records), (1...Self.limit).contains(bytes) else {
      throw ValidationError("An account may hold at least 1 record and 1 byte, and at most 1024T.")
    }
  }

  /// The quota.
  var quota: AccountQuota { AccountQuota(records: records, bytes: bytes) }

  /// Reads a size like `512M`.
  static func size(_ text: String) throws -> Int {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(digits),
      case (let size, let overflow) = number.multipliedReportingOverflow(
        by: unit ?? 1), !overflow
    else { throw ValidationError("“\(text.prefix(40))” is no size. Sizes are like 512M or 2G.") }
    return size
  }
}
