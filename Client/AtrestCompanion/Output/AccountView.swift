// SPDX-License-Identifier: Apache-2.0
// Output of `account`: usage and limits.

import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// An account, for `--json`.
struct AccountRow: Encodable, Equatable {
  /// The server's limits; unreported ones are absent.
  struct Limits: Encodable, Equatable {
    var records: UInt64?
    var bytes: UInt64?
    var messageBytes: UInt32?
    var recordsPerRequest: UInt32?
    var valueBytes: UInt32?
    var recordBytes: UInt32?
    var watchStreams: UInt32?

    init(_ limits: AccountLimits) {
      func told<Number: FixedWidthInteger>(_ number: Number) -> Number? {
        number == 0 ? nil : number
      }
      records = told(limits.records)
      bytes = told(limits.bytes)
      messageBytes = told(limits.messageBytes)
      recordsPerRequest = told(limits.recordsPerRequest)
      valueBytes = told(limits.valueBytes)
      recordBytes = told(limits.recordBytes)
      watchStreams = told(limits.watchStreams)
    }
  }

  var name: String
  var created: WallTime
  var devices: UInt32
  var records: UInt64
  var bytes: UInt64
  var limits: Limits

  init(_ account: Account) {
    name = account.name
    created = account.created
    devices = account.devices
    records = account.records
    bytes = account.bytes
    limits = Limits(account.limits)
  }
}

/// The result of an export, for `--json`.
struct AccountExportRow: Encodable, Equatable {
  var file: String
  var records: Int
  var events: Int
  var devices: Int
}

/// Texts about an account.
struct AccountWords {
  /// What people type, before the names of commands.
  let program: String

  /// The summary.
  static func show(_ account: Account, _ context: CommandContext) -> String {
    let row = AccountRow(account)
    let made = LocalDay(row.created, in: context.zone)
    let isOutOfPlaces = isFull(account.records, account.limits.records)
    let isOutOfBytes = isFull(account.bytes, account.limits.bytes)
    return """
      The account “\(account.name.escapedForTerminal)”, made \(TimeText.day(made))
        devices  \(account.devices)
        records  \(share(account.records, account.limits.records) { number($0) })
        size     \(share(account.bytes, account.limits.bytes) { size($0) })
      """
        + (isOutOfPlaces
          ? "\nThere is no place for another record, and a deleted one keeps its place. Ask whoever runs the server for more."
          : isOutOfBytes
            ? "\nThere is no more room. Delete what you no longer need, or ask whoever runs the server for more."
            : "")
  }

  private static func isFull(_ held: UInt64, _ limit: UInt64) -> Bool { limit > 0 && held >= limit }

  private static func share(
    _ held: UInt64, _ limit: UInt64, _ words: (UInt64) -> String
  ) -> String {
    limit == 0 ? words(held) : "\(words(held)) of \(words(limit))"
  }

  /// A number with thousands separators, such as `1,204`.
  static func number(_ number: UInt64) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// A size such as `310 KiB` or `1.5 GiB`, rounded down.
  static func size(_ bytes: UInt64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var (whole, rest, unit) = (bytes, UInt64(0), 0)
    while whole >= 1024, unit + 1 < units.count {
      rest = whole % 1024
      whole /= 1024
      unit += 1
    }
    let tenth = unit > 0 && whole < 10 ? rest * 10 / 1024 : 0
    return "\(whole)\(tenth > 0 ? ".\(tenth)" : "") \(units[unit])"
  }

  /// Shown after an export.
  ///
  /// - Parameter contents: What somebody learns from it, such as `when you fasted and drank`.
  static func exported(_ row: AccountExportRow, contents: String) -> String {
    "Everything is in \(row.file.escapedForTerminal): \(number(UInt64(row.records))) records, "
      + "\(number(UInt64(row.events))) events. It says \(contents); keep it where only you read it."
  }

  /// Shown before the name is typed to confirm a deletion.
  func beforeDeleting(_ account: Account) -> String {
    let devices =
      account.devices == 1 ? "the access of 1 device" : "the access of \(account.devices) devices"
    let records = account.records == 1 ? "1 record" : "\(Self.number(account.records)) records"
    return """
      This removes the account “\(account.name.escapedForTerminal)” from its server: \(records) and \(devices). It cannot be \
      taken back. What is on your devices stays on them; `\(program) account export` writes down what the server holds.
      """
  }

  /// Shown after a deletion.
  func deleted(_ name: String) -> String {
    """
    The account “\(name.escapedForTerminal)” is removed from its server. What this device holds stays here, and what \
    your other devices hold stays on them; none of them syncs any more. Backups that the server's owner made before \
    are the owner's to remove. `\(program) pair LINK` begins anew, with another account.
    """
  }
}
