// SPDX-License-Identifier: Apache-2.0
// A real server and real replicas on loopback, each in a temporary folder.

import AtrestClient
import AtrestDomain
import AtrestFoundation
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestTestSupport
import AtrestWire
import Foundation
import Logging
import Synchronization
import Testing

@testable import AtrestServer

/// A server that can be stopped, restored from an earlier copy of its data, and restarted at the
/// same address.
final class TestServer: Sendable {
  private let folder: Folder
  private let running: Mutex<Server?>
  private let address: Mutex<SocketAddress>

  init() async throws {
    folder = try Folder()
    let server = try await Self.start(
      folder.url.path + "/data", .ipv4(octets: [127, 0, 0, 1], port: 0))
    running = Mutex(server)
    address = Mutex(server.address)
  }

  private static func start(
    _ data: String, _ address: SocketAddress
  ) async throws -> Server {
    var logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    logger.logLevel = .critical
    var configuration = Server.Configuration(
      dataDirectory: data, listenAddress: address, logger: logger,
      onFatal: { error in Issue.record("the store failed: \(error.userMessage)") })
    configuration.encryption = .own
    return try await Server.start(configuration)
  }

  func stop() async {
    await running.withLock { $0 }?.stop()
    running.withLock { $0 = nil }
  }

  func start() async throws {
    let server = try await Self.start(folder.url.path + "/data", address.withLock { $0 })
    running.withLock { $0 = server }
  }

  /// Copies the data of a stopped server.
  func backUp() throws {
    try FileManager.default.copyItem(
      at: folder.url.appendingPathComponent("data"), to: folder.url.appendingPathComponent("copy"))
  }

  /// Restores the copy of a stopped server's data.
  func restore() throws {
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("data"))
    try FileManager.default.moveItem(
      at: folder.url.appendingPathComponent("copy"), to: folder.url.appendingPathComponent("data"))
  }

  /// A pairing link for an account. Creates the account if there is none.
  func link(_ account: String = "home") async throws -> PairingLink {
    let path = Server.adminSocketPath(in: folder.url.path + "/data")
    let channel = try GRPCChannel(to: .address(.unix(path: path)))
    defer { Task { await channel.close() } }
    let request = AccountRequest(name: account).packed
    let answer: [UInt8]
    do {
      answer = try await channel.unary(Method.Admin.addAccount, request)
    } catch {
      answer = try await channel.unary(Method.Admin.inviteDevice, request)
    }
    let invitation = try Invitation(unpacking: answer)
    return try PairingLink(
      server: ServerAddress(parsing: invitation.address), code: invitation.code)
  }
}

/// A replica in its own folder.
struct TestDevice: Sendable {
  let replica: Replica
  private let folder: Folder

  init() throws {
    folder = try Folder()
    replica = try Replica(directory: folder.url.appendingPathComponent("replica"))
  }

  /// Creates a paired replica.
  init(_ name: String, _ server: TestServer, account: String = "home") async throws {
    try self.init()
    try await replica.pair(try await server.link(account), name: name)
  }
}

/// A fast of some hours, some days ago.
func fast(_ id: RecordUUID = .random(), daysAgo: Int = 1, targetMinutes: Int = 960) throws
  -> AtrestDomain.Session
{
  let start = WallTime(milliseconds: 1_700_000_000_000 - Int64(daysAgo) * 86_400_000)
  let span = try #require(
    AtrestDomain.Session.Span(
      start: start, end: start.advanced(bySeconds: 16 * 3600), outcome: .completed))
  return AtrestDomain.Session(id: id, span: span, targetMinutes: targetMinutes)
}

/// A drink.
func water(_ millilitres: Int, id: RecordUUID = .random()) throws -> WaterEntry {
  let intake = try #require(
    WaterEntry.Intake(at: WallTime(milliseconds: 1_700_000_000_000), millilitres: millilitres))
  return WaterEntry(id: id, intake: intake)
}
