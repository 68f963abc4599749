// SPDX-License-Identifier: Apache-2.0
// The output of the commands.

import ArgumentParser
import AtrestCommandLine
import AtrestDomain
import AtrestFoundation
import AtrestProtocol
import AtrestReplication
import AtrestServer
import AtrestWire
import Foundation

/// Runs a command and turns a failure into a message on standard error and an exit status.
func reported(_ body: () async throws -> Void) async throws {
  do { try await body() } catch let failure as CommandFailure {
    printError(failure.sentence + "\n")
    throw ExitCode(failure.status)
  }
}

/// Prints a pairing link. If standard output is not a terminal, it gets the link alone.
func printInvitation(_ invitation: Invitation, isJSON: Bool, isPictured: Bool) throws {
  guard !isJSON else { return printLine(try Text.json(invitation)) }
  let link = Text.link(invitation)
  printLine(link)
  let usage = Text.usage(of: invitation)
  guard isatty(STDOUT_FILENO) == 1 else { return printError(usage + "\n") }
  printLine(usage)
  guard isPictured, let code = QRCode.ofLink(Text.webLink(invitation) ?? link),
    code.columns <= TerminalWidth.columns ?? 80
  else {
    return
  }
  let environment = ProcessInfo.processInfo.environment
  let isColoured = StandardStream.isStyled(isTerminal: true, environment: environment)
  printLine("\n" + code.picture(isColoured: isColoured))
}

/// Formats words and tables.
enum Text {
  static func link(_ invitation: Invitation) -> String {
    "atrest://\(invitation.address)/\(invitation.code)"
  }

  /// The link that opens the web app. The code is in the fragment, which browsers send to nobody.
  /// Nil where there is no app, or no authority whose word a browser takes for the server.
  static func webLink(_ invitation: Invitation) -> String? {
    guard invitation.servesApp, invitation.address.hasSuffix("/ca") else { return nil }
    let address = invitation.address.dropLast("/ca".count)
    let host = address.hasSuffix(":443") ? address.dropLast(":443".count) : address
    return "https://\(host)/#pair=\(invitation.code)"
  }

  static func json(_ invitation: Invitation) throws -> String {
    struct Link: Encodable {
      let link: String
      let webLink: String?
      let expiresMs: Int64
    }
    return try json(
      Link(
        link: link(invitation), webLink: webLink(invitation),
        expiresMs: invitation.expires.milliseconds))
  }

  /// Explains what to do with a pairing link.
  static func usage(of invitation: Invitation, now: Date = Date()) -> String {
    let left = invitation.expires.date.timeIntervalSince(now)
    let minutes = Int((left / 60).rounded().clamped(to: 1...60))
    let time = minutes == 1 ? "a minute" : "\(minutes) minutes"
    guard let webLink = webLink(invitation) else {
      return
        "Open this link on the device, or give it to `atrest pair`. It works once, within \(time)."
    }
    return """
      Give this link to `atrest pair`, or open this one in the browser of a phone:
      \(webLink)
      One of them works, once, within \(time).
      """
  }

  /// What one cell answered.
  struct InCell<Answer> {
    /// Nil: the server has no numbered cells.
    let cell: CellNumber?
    let answer: Answer
  }

  static func table(_ lists: [InCell<ListAccountsResponse>]) -> String {
    let rows = lists.flatMap { list in
      list.answer.accounts.map {
        [$0.name, "\($0.devices)", "\($0.records)", size($0.bytes), day($0.created)]
          + (list.cell.map { ["\($0)"] } ?? [])
      }
    }
    guard !rows.isEmpty else {
      return "There are no accounts yet. Make one with: atrest-syncd account add NAME"
    }
    let hasCells = lists.contains { $0.cell != nil }
    return Table(
      ["ACCOUNT", "DEVICES", "RECORDS", "SIZE", "SINCE"] + (hasCells ? ["CELL"] : []), rows: rows
    ).text()
  }

  static func table(_ list: ListDevicesResponse) -> String {
    guard !list.entries.isEmpty else { return "There are no devices yet." }
    let family = DeviceFamily(list.entries.map(\.device))
    let rows = list.entries.map { entry in
      let device = entry.device
      return [
        hex(device.replica), device.name, entry.account, day(device.paired), presence(device),
        family.origin(of: device) ?? "",
      ]
    }
    // The last column has no heading, and no width if it is empty.
    return Table(["ID", "DEVICE", "ACCOUNT", "PAIRED", "LAST SEEN", ""], rows: rows).text()
  }

  /// - Parameter family: The account's devices, for the names of inviters.
  static func table(_ devices: [Device], of family: DeviceFamily) -> String {
    Table(
      ["ID", "DEVICE", "PAIRED", "LAST SEEN", ""],
      rows: devices.map { device in
        let (id, name, paired) = (hex(device.replica), device.name, day(device.paired))
        return [id, name, paired, presence(device), family.origin(of: device) ?? ""]
      }
    ).text()
  }

  private static func presence(_ device: Device) -> String {
    device.revoked.map { "access ended \(day($0))" } ?? device.seen.map(minute) ?? "never"
  }

  static func json(_ lists: [InCell<ListAccountsResponse>]) throws -> String {
    struct Account: Encodable {
      let name: String
      let createdMs: Int64
      let devices, records, bytes: Int
      let cell: Int?
    }
    return try json(
      lists.flatMap { list in
        list.answer.accounts.map {
          Account(
            name: $0.name, createdMs: $0.created.milliseconds, devices: $0.devices,
            records: $0.records, bytes: $0.bytes, cell: list.cell.map { Int($0.rawValue) })
        }
      })
  }

  static func json(_ list: ListDevicesResponse) throws -> String {
    struct Entry: Encodable {
      let id, name, account: String
      let pairedMs: Int64
      let seenMs, revokedMs: Int64?
      let inviter, approver, renewedFrom: String?
    }
    return try json(
      list.entries.map { entry in
        let origin = entry.device.origin
        let parent = origin.parent.map(hex)
        return Entry(
          id: hex(entry.device.replica), name: entry.device.name, account: entry.account,
          pairedMs: entry.device.paired.milliseconds, seenMs: entry.device.seen?.milliseconds,
          revokedMs: entry.device.revoked?.milliseconds,
          inviter: origin.isRenewed ? nil : parent, approver: origin.approver.map(hex),
          renewedFrom: origin.isRenewed ? parent : nil)
      })
  }

  static func contents(_ backup: BackupResponse) -> String {
    counted(backup.accounts, "account") + ", " + counted(backup.devices, "device") + ", "
      + counted(backup.records, "record")
  }

  static func contents(_ account: ListAccountsResponse.Account) -> String {
    counted(account.records, "record") + " and the access of " + counted(account.devices, "device")
  }

  static func contents(_ report: ArchiveReport) -> String {
    counted(report.accounts, "account") + ", " + counted(report.devices, "device") + ", "
      + counted(report.records, "record") + ", " + counted(report.events, "event")
  }

  static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// What could not be verified without the backup's checksum file. Empty if the file exists.
  static func missingChecksum(_ copy: StoreCopy, _ file: String) -> String {
    guard !copy.hasChecksum else { return "" }
    return
      "\nThere is no \(file).sha256 beside it, so a changed byte inside a value could not be seen."
  }

  static func table(_ limits: ServerLimits) -> String {
    Table(
      ["NAME", "VALUE", "RANGE", "MEANING"],
      rows: ServerLimits.table.map {
        [$0.name, $0.text($0.value(in: limits)), $0.rangeText, $0.meaning]
      }
    ).text()
  }

  static func json(_ limits: ServerLimits) throws -> String {
    struct Row: Encodable {
      let name, unit: String
      let value, least, most: Int
      let meaning: String
    }
    return try json(
      ServerLimits.table.map {
        Row(
          name: $0.name, unit: $0.unit == .time ? "milliseconds" : $0.unit.rawValue,
          value: $0.value(in: limits), least: $0.range.lowerBound, most: $0.range.upperBound,
          meaning: $0.meaning)
      })
  }

  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func hex(_ replica: ReplicaID) -> String {
    Hexadecimal.encoded(replica.rawValue)
  }

  /// Formats bytes in the largest unit with at least one whole, rounded down.
  static func size(_ bytes: Int) -> String {
    var (number, unit) = (Double(bytes), "B")
    for larger in ["KiB", "MiB", "GiB", "TiB"] where number >= 1024 {
      (number, unit) = (number / 1024, larger)
    }
    return unit == "B"
      ? "\(bytes) B" : String(format: "%.1f ", (number * 10).rounded(.down) / 10) + unit
  }

  private static func day(_ time: WallTime) -> String {
    time.date.formatted(.iso8601.year().month().day())
  }

  static func minute(_ time: WallTime) -> String {
    time.date.formatted(
      .iso8601.year().month().day().dateTimeSeparator(.space).time(
        includingFractionalSeconds: false))
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
