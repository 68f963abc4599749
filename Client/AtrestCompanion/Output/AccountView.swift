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
    let (name, day) = (account.name.escapedForTerminal, TimeText.day(made))
    let records = share(account.records, account.limits.records) { number($0) }
    let bytes = share(account.bytes, account.limits.bytes) { size($0) }
    var lines = [
      Language.text(
        "The account “\(name)”, made \(day)", de: "Das Konto „\(name)“, angelegt \(day)"),
      Language.text("  devices  ", de: "  Geräte   ") + String(account.devices),
      Language.text("  records  ", de: "  Einträge ") + records,
      Language.text("  size     ", de: "  Größe    ") + bytes,
    ]
    if isOutOfPlaces {
      lines.append(
        Language.text(
          "There is no place for another record, and a deleted one keeps its place. "
            + "Ask whoever runs the server for more.",
          de: "Es ist kein Platz für einen weiteren Eintrag, und ein gelöschter behält seinen. "
            + "Bitte den, der den Server betreibt, um mehr."))
    } else if isOutOfBytes {
      lines.append(
        Language.text(
          "There is no more room. Delete what you no longer need, or ask whoever runs the server "
            + "for more.",
          de: "Es ist kein Platz mehr. Lösche, was du nicht mehr brauchst, oder bitte den, der den "
            + "Server betreibt, um mehr."))
    }
    return lines.joined(separator: "\n")
  }

  private static func isFull(_ held: UInt64, _ limit: UInt64) -> Bool { limit > 0 && held >= limit }

  private static func share(
    _ held: UInt64, _ limit: UInt64, _ words: (UInt64) -> String
  ) -> String {
    limit == 0
      ? words(held)
      : Language.text(
        "\(words(held)) of \(words(limit))", de: "\(words(held)) von \(words(limit))")
  }

  /// A number with thousands separators, such as `1,204`; `1.204` in German.
  static func number(_ number: UInt64) -> String {
    let digits = String(number)
    let mark = Language.text(",", de: ".")
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += mark }
      text.append(digit)
    }
    return text
  }

  /// A size such as `310 KiB` or `1.5 GiB`, rounded down.
  static func size(_ bytes: UInt64) -> String {
    let units = [Language.text("bytes", de: "Byte"), "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var (whole, rest, unit) = (bytes, UInt64(0), 0)
    while whole >= 1024, unit + 1 < units.count {
      rest = whole % 1024
      whole /= 1024
      unit += 1
    }
    let tenth = unit > 0 && whole < 10 ? rest * 10 / 1024 : 0
    return "\(whole)\(tenth > 0 ? Language.current.decimalMark + String(tenth) : "") \(units[unit])"
  }

  /// Shown after an export.
  ///
  /// - Parameter contents: What somebody learns from it, such as `when you fasted and drank`.
  static func exported(_ row: AccountExportRow, contents: String) -> String {
    let file = row.file.escapedForTerminal
    let (records, events) = (number(UInt64(row.records)), number(UInt64(row.events)))
    return Language.text(
      "Everything is in \(file): \(records) records, \(events) events. It says \(contents); "
        + "keep it where only you read it.",
      de: "Alles steht in \(file): \(records) Einträge, \(events) Ereignisse. Darin steht, "
        + "\(contents); bewahre es dort auf, wo nur du es liest.")
  }

  /// Shown before the name is typed to confirm a deletion.
  func beforeDeleting(_ account: Account) -> String {
    let name = account.name.escapedForTerminal
    let (devices, records) = (account.devices, Self.number(account.records))
    return Language.text(
      "This removes the account “\(name)” from its server: "
        + "\(account.records == 1 ? "1 record" : "\(records) records") and the access of "
        + "\(devices == 1 ? "1 device" : "\(devices) devices"). It cannot be taken back. What is on "
        + "your devices stays on them; `\(program) account export` writes down what the server holds.",
      de: "Dies entfernt das Konto „\(name)“ von seinem Server: "
        + "\(account.records == 1 ? "1 Eintrag" : "\(records) Einträge") und den Zugang von "
        + "\(devices == 1 ? "1 Gerät" : "\(devices) Geräten"). Zurücknehmen lässt sich das nicht. Was "
        + "auf deinen Geräten ist, bleibt dort; `\(program) account export` schreibt auf, was der "
        + "Server hat.")
  }

  /// Shown after a deletion.
  func deleted(_ name: String) -> String {
    let name = name.escapedForTerminal
    return Language.text(
      "The account “\(name)” is removed from its server. What this device holds stays here, and what "
        + "your other devices hold stays on them; none of them syncs any more. Backups that the "
        + "server's owner made before are the owner's to remove. `\(program) pair LINK` begins anew, "
        + "with another account.",
      de:
        "Das Konto „\(name)“ ist von seinem Server entfernt. Was dieses Gerät hat, bleibt hier, und "
        + "was deine anderen haben, bleibt auf ihnen; keines gleicht mehr ab. Frühere Sicherungen "
        + "hat, wer den Server betreibt; nur er kann sie entfernen. `\(program) pair LINK` beginnt "
        + "neu, mit einem anderen Konto.")
  }

  /// Shown below a list of events that is not all.
  static var older: String {
    Language.text(
      "There are older ones; `--limit` shows more.", de: "Es gibt ältere; `--limit` zeigt mehr.")
  }

  /// Shown while an export goes on.
  static func soFar(records: Int) -> String {
    let number = number(UInt64(records))
    return Language.text("\(number) records so far", de: "bisher \(number) Einträge")
  }

  /// The name that was typed is not the account's.
  static var wrongName: String {
    Language.text(
      "That is not the account's name, so nothing was removed. Try again with the name as it is shown.",
      de: "So heißt das Konto nicht, darum wurde nichts entfernt. Versuche es noch einmal mit dem "
        + "Namen, wie er dasteht.")
  }

  /// The answer to a deletion was lost.
  static func unknown(_ reason: String) -> String {
    let reason = reason.escapedForTerminal
    return Language.text(
      "The server did not answer (\(reason)), so it is not known whether the account is removed. "
        + "Try again: if this device's access was ended, it is.",
      de:
        "Der Server hat nicht geantwortet (\(reason)), darum ist ungewiss, ob das Konto entfernt ist. "
        + "Versuche es noch einmal: Hat dieses Gerät keinen Zugang mehr, so ist es das.")
  }
}
