// SPDX-License-Identifier: Apache-2.0
// The command that shows the audit log and verifies that it was not altered.

import ArgumentParser
import AtrestCommandLine
import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestServer
import AtrestWire
import Foundation

struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "See what happened: devices, codes, purchases, removals.",
    discussion: """
      Newest first. Devices are named by their IDs: see `atrest-syncd device list`. Nothing takes an event out again; --check \
      says whether somebody did it by force, and prints a hash to note elsewhere. --expect-head tells from that later whether the log \
      still goes on from there.

        atrest-syncd audit --account kim
        atrest-syncd audit --check
        atrest-syncd audit --check --expect-head 12:5f2c...
      """)

  @Option(help: "Only what happened to this account.") var account: String = ""
  @Option(help: ArgumentHelp("At most so many.", valueName: "number")) var limit: UInt32 = 100
  @Option(help: ArgumentHelp("The page after an earlier one, which named it.", valueName: "token"))
  var page = ""
  @Flag(name: .customLong("check"), help: "Check that the whole log is as it was written.")
  var isCheck = false
  @Option(
    name: .customLong("expect-head"),
    help: ArgumentHelp(
      "With --check: what an earlier --check printed, which the log must still hold.",
      valueName: "number:hash"))
  var expectedHead: NotedEvent?
  /// The name of --expect-head before 1.0.
  @Option(name: .customLong("noted"), help: .hidden) var formerExpectedHead: NotedEvent?
  @OptionGroup var cell: CellOptions
  @OptionGroup var data: DataOptions
  @OptionGroup var format: FormatOptions

  func validate() throws {
    guard (1...EventPage.limit).contains(limit) else {
      throw ValidationError("--limit is 1 to \(EventPage.limit). Page on with --page.")
    }
    guard expectedHead ?? formerExpectedHead == nil || isCheck else {
      throw ValidationError("--expect-head goes with --check.")
    }
    guard account.utf8.count <= NameLimit.bytes else {
      throw ValidationError("A name has 1 to \(NameLimit.bytes) bytes.")
    }
  }

  func run() async throws {
    try await reported {
      let server = AdminClient(directory: data.path)
      let client =
        account.isEmpty ? try await server.inCell(cell) : try await server.inCell(of: account, cell)
      guard !isCheck else { return try await check(client) }
      let answer = try await client.call(
        Method.Admin.events,
        AdminEventsRequest(account: account, pageSize: limit, pageToken: page),
        as: AdminEventsResponse.self)
      printLine(try format.isJSON ? Audit.json(answer) : Audit.table(answer))
    }
  }

  private func check(_ client: AdminClient) async throws {
    let answer = try await client.check()
    if format.isJSON { printLine(try Audit.json(answer)) }
    guard answer.broken == 0 else {
      throw CommandFailure(
        """
        The log is not as it was written: event \(answer.broken) does not follow the ones before it. Somebody changed the \
        database, or the disk damaged it.
        """, .data)
    }
    if formerExpectedHead != nil { printError("--noted is called --expect-head now.\n") }
    let noted = expectedHead ?? formerExpectedHead
    if let noted {
      let then = try await client.check(through: noted.number)
      guard then.events == noted.number else {
        throw CommandFailure(
          """
          The log was cut off: it has \(then.events) events, and had \(noted.number) when that was noted. A backup that was put \
          back does that; else somebody changed the database.
          """, .data)
      }
      guard then.hash == noted.hash else {
        throw CommandFailure(
          """
          The log was made anew: its event \(noted.number) is not the one that was noted. A backup that was put back does \
          that; else somebody changed the database.
          """, .data)
      }
    }
    guard !format.isJSON else { return }
    printLine("The log is whole: \(answer.events) events.")
    if noted != nil { printLine("It goes on from what was noted.") }
    if !answer.hash.isEmpty {
      printLine("To be noted elsewhere: \(NotedEvent(number: answer.events, hash: answer.hash))")
    }
  }
}

/// An event's number and hash, as one verification prints them for a later one.
struct NotedEvent: Hashable, ExpressibleByArgument, CustomStringConvertible {
  let number: UInt64
  let hash: [UInt8]

  init(number: UInt64, hash: [UInt8]) {
    self.number = number
    self.hash = hash
  }

  /// Parses `number:hash`. Nil for anything else.
  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = UInt64(parts[0]), number > 0,
      let hash = Hexadecimal.decoded(Array(parts[1].utf8)[...]), hash.count == 32
    else { return nil }
    self.init(number: number, hash: hash)
  }

  var description: String { "\(number):\(Hexadecimal.encoded(hash))" }
}

extension AdminClient {
  /// Has the server verify its audit log, up to one event or as a whole.
  fileprivate func check(through number: UInt64 = 0) async throws -> CheckEventsResponse {
    try await call(
      Method.Admin.checkEvents, CheckEventsRequest(through: number), as: CheckEventsResponse.self,
      timeout: .seconds(3600))
  }
}

/// Formats events as text and JSON.
enum Audit {
  static func table(_ answer: AdminEventsResponse) -> String {
    guard !answer.entries.isEmpty else { return "Nothing has happened yet." }
    let rows = answer.entries.map { entry in
      let event = entry.event
      return [
        "\(event.number)", Text.minute(event.at), account(entry), words(event),
        event.actor == .none ? "" : Text.hex(event.actor),
        event.subject == .none ? "" : Text.hex(event.subject),
      ]
    }
    let table = Table(["NUMBER", "WHEN", "ACCOUNT", "WHAT", "BY", "DEVICE"], rows: rows).text()
    guard !answer.nextPageToken.isEmpty else { return table }
    return table + "\nThere is more: --page \(answer.nextPageToken.escapedForTerminal)"
  }

  private static func account(_ entry: AdminEventsResponse.Entry) -> String {
    if entry.account == 0 { return "" }
    return entry.accountName.isEmpty ? "(removed, \(entry.account))" : entry.accountName
  }

  /// Describes an event in a few words.
  static func words(_ event: AccountEvent) -> String {
    let isOwner = event.actor == .none
    let text =
      switch event.kind {
      case .accountMade: "account made"
      case .accountRemoved: isOwner ? "account removed by the owner" : "account removed"
      case .codeMade: event.detail == 1 ? "code made, with approval" : "code made"
      case .codeRefused: "code refused"
      case .devicePaired: "device paired"
      case .deviceApproved: "device let in"
      case .deviceDenied: "device sent away"
      case .deviceRenamed: "device renamed"
      case .deviceRevoked: isOwner ? "access ended by the owner" : "access ended"
      case .deviceRenewed: "device took a new identity"
      case .massDeletion: "mass deletion allowed: \(event.detail) records"
      case .purchaseTaken: "purchase taken in"
      case .purchaseRefused: "purchase refused, check \(event.detail)"
      case .purchaseMoved: event.detail == 1 ? "purchase moved here" : "purchase moved away"
      case .backupMade: "backup made"
      case .restoreNoticed: "device noticed that something was lost"
      default: "event \(event.kind.rawValue)"
      }
    return event.count > 1 ? "\(text), \(event.count) times" : text
  }

  static func json(_ answer: AdminEventsResponse) throws -> String {
    struct Entry: Encodable {
      let number: UInt64
      let atMs: Int64
      let kind: Int
      let what: String
      let accountNumber: UInt64?
      let account: String?
      let actor, subject: String?
      let detail: Int64
      let count: UInt32
    }
    return try Text.json(
      answer.entries.map { entry in
        let event = entry.event
        return Entry(
          number: event.number, atMs: event.at.milliseconds, kind: event.kind.rawValue,
          what: words(event), accountNumber: entry.account == 0 ? nil : entry.account,
          account: entry.accountName.isEmpty ? nil : entry.accountName,
          actor: event.actor == .none ? nil : Text.hex(event.actor),
          subject: event.subject == .none ? nil : Text.hex(event.subject), detail: event.detail,
          count: event.count)
      })
  }

  static func json(_ answer: CheckEventsResponse) throws -> String {
    struct Check: Encodable {
      let isWhole: Bool
      let events: UInt64
      let broken: UInt64?
      let hash: String
    }
    return try Text.json(
      Check(
        isWhole: answer.broken == 0, events: answer.events,
        broken: answer.broken == 0 ? nil : answer.broken, hash: Hexadecimal.encoded(answer.hash)))
  }
}
