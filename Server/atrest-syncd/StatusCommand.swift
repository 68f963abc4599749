// SPDX-License-Identifier: Apache-2.0
// Says what the running server is doing: for people, and for scripts.

import ArgumentParser
import AtrestCommandLine
import AtrestProtocol
import AtrestWire
import Foundation

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say what the running server is doing.",
    discussion: "Needs no store: it answers while a database is away.")

  @OptionGroup var data: DataOptions
  @OptionGroup var format: FormatOptions

  func run() async throws {
    try await reported {
      let status = try await AdminClient(directory: data.path).status()
      printLine(
        try format.isJSON
          ? Text.json(StatusText.Listing(status)) : StatusText.lines(status, now: Date()))
    }
  }
}

struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "End with 0 if the server can be used, and with 69 if not.",
    discussion: "For scripts, timers and containers. It prints a line.")

  @OptionGroup var data: DataOptions

  func run() async throws {
    try await reported {
      let status = try await AdminClient(directory: data.path).status()
      guard !status.isDiskFull else {
        throw CommandFailure(
          "The server takes nothing new: its disk is nearly full. Make room.", .unavailable)
      }
      guard status.isServing else {
        throw CommandFailure(
          "The server runs and cannot use its store. Its log says why.", .unavailable)
      }
      printLine(
        status.isClockDoubtful
          ? "The server can be used. Its clock cannot be relied on; the log says in which way."
          : "The server can be used.")
    }
  }
}

extension AdminClient {
  fileprivate func status() async throws -> GetServerStatusResponse {
    try await call(
      Method.Admin.getServerStatus, EmptyMessage(), as: GetServerStatusResponse.self,
      timeout: .seconds(10))
  }
}

/// The words of `status`.
enum StatusText {
  /// Lines of a name and what there is.
  static func lines(_ status: GetServerStatusResponse, now: Date) -> String {
    let facts: [(String, String)] = [
      ("Version", status.version),
      ("Address", status.address),
      ("State", state(status)),
      ("Up", uptime(status.uptimeMilliseconds)),
      (
        "Store",
        status.store + (status.diskFreeBytes.map { "; \(Text.size($0)) free on its disk" } ?? "")
      ),
      ("Accounts", "\(status.accounts), devices \(status.devices)"),
      (
        "Connections",
        "\(status.connections): \(status.unauthenticatedConnections) unauthenticated, "
          + "\(status.handshakingConnections) handshaking"
      ),
      ("Calls", "\(status.activeCalls) under way, of them \(status.watchers) streams of changes"),
      (
        "Ended",
        "\(status.endedCalls) calls, \(status.endedCalls - status.successfulCalls) refused or failed"
      ),
      (
        "Waiting",
        "\(Text.size(status.queueBytes)) for the store, \(Text.size(status.heldBytes)) held for peers"
      ),
      ("Certificate", certificate(status, now: now)),
    ]
    let rows = facts + status.warnings.map { ("Warning", $0) }
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, value in
      name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + value.escapedForTerminal
    }.joined(separator: "\n")
  }

  private static func state(_ status: GetServerStatusResponse) -> String {
    if status.isDiskFull { return "takes nothing new: its disk is nearly full. Make room" }
    guard status.isServing else { return "cannot use its store, or is stopping; its log says why" }
    return status.isClockDoubtful ? "serving; its clock cannot be relied on" : "serving"
  }

  /// The two largest units: `3 days 4 hours`.
  static func uptime(_ milliseconds: Int) -> String {
    let seconds = max(0, milliseconds / 1000)
    let parts = [
      (seconds / 86_400, "day"), (seconds / 3600 % 24, "hour"), (seconds / 60 % 60, "minute"),
      (seconds % 60, "second"),
    ]
    let first = parts.firstIndex { $0.0 > 0 } ?? parts.count - 1
    return parts[first..<min(first + 2, parts.count)].filter { $0.0 > 0 || seconds == 0 }
      .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " ")
  }

  private static func certificate(_ status: GetServerStatusResponse, now: Date) -> String {
    guard let end = status.certificateEndMilliseconds else { return "none: nothing is encrypted" }
    let date = Date(timeIntervalSince1970: Double(end) / 1000)
    let days = Int((date.timeIntervalSince(now) / 86_400).rounded(.down))
    let day = date.formatted(.iso8601.year().month().day())
    return days < 0 ? "ended on \(day)" : "until \(day), \(days) \(days == 1 ? "day" : "days")"
  }

  /// What `--json` prints.
  struct Listing: Encodable {
    let version, address, store: String
    let uptimeMs: Int
    let serving, clockDoubtful, diskFull: Bool
    let accounts, devices, connections, handshakingConnections, unauthenticatedConnections: Int
    let activeCalls, watchers, endedCalls, successfulCalls, heldBytes, queueBytes: Int
    let diskFreeBytes, certificateEndMs: Int?
    let warnings: [String]

    init(_ status: GetServerStatusResponse) {
      (version, address, store) = (status.version, status.address, status.store)
      uptimeMs = status.uptimeMilliseconds
      (serving, clockDoubtful) = (status.isServing, status.isClockDoubtful)
      diskFull = status.isDiskFull
      (accounts, devices) = (status.accounts, status.devices)
      connections = status.connections
      handshakingConnections = status.handshakingConnections
      unauthenticatedConnections = status.unauthenticatedConnections
      (activeCalls, watchers) = (status.activeCalls, status.watchers)
      (endedCalls, successfulCalls) = (status.endedCalls, status.successfulCalls)
      (heldBytes, queueBytes) = (status.heldBytes, status.queueBytes)
      diskFreeBytes = status.diskFreeBytes
      certificateEndMs = status.certificateEndMilliseconds
      warnings = status.warnings
    }
  }
}
