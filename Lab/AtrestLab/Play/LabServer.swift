// SPDX-License-Identifier: Apache-2.0
// Runs a real server in this process on a free loopback port, with the scenario's clock.

import AtrestClient
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestServer
import AtrestSockets
import AtrestWire
import Foundation
import Logging
import Synchronization

/// The lab's server. It can be restarted, and restored from a backup, at the same address.
struct LabServer {
  private let folder: URL
  private let environment: Environment
  private let failure = Failure()
  private var generation = 0
  private var server: Server?
  /// A loopback address that other programs do not use: while the server is away, the system gives
  /// its port to no other.
  private var address = SocketAddress.ipv4(
    octets: [127] + (0..<3).map { _ in .random(in: 1...254) }, port: 0)
  private var hasAccount = false

  /// The account that all devices share.
  static let account = "lab"

  /// The store's failure, if any.
  private final class Failure: Sendable {
    let sentence = Mutex<String?>(nil)
  }

  init(
    in folder: URL, now: @escaping @Sendable () -> WallTime, random: LabRandom
  ) async throws(LabError) {
    self.folder = folder
    environment = Environment(now: now, random: { random.bytes($0) })
    try await start()
  }

  private var data: URL { folder.appendingPathComponent("server\(generation)") }
  private var backup: URL { folder.appendingPathComponent("server.backup") }

  /// Prunes what is due. A running server does so minutes after its start by a monotonic clock,
  /// which no scenario can advance.
  private func housekeep() throws(LabError) {
    guard FileManager.default.fileExists(atPath: data.appendingPathComponent("atrest.db").path)
    else { return }
    do throws(StoreError) {
      let store = try SQLiteStore(directory: data.path) { 1 }
      defer { store.close() }
      let accounts = try store.transaction { t throws(StoreError) in try t.accounts.list() }
      for account in accounts { try store.housekeep(account: account.id, at: environment.now()) }
    } catch {
      throw .server("The lab's server did not start. \(error.userMessage)")
    }
  }

  private mutating func start() async throws(LabError) {
    try housekeep()
    let failure = failure
    var configuration = Server.Configuration(
      dataDirectory: data.path, listenAddress: address,
      logger: Logger(label: "atrest.lab", factory: { _ in SwiftLogNoOpLogHandler() }),
      onFatal: { error in failure.sentence.withLock { $0 = error.userMessage } })
    configuration.shardCount = 1
    configuration.environment = environment
    do {
      let server = try await Server.start(configuration)
      self.server = server
      address = server.address
    } catch {
      throw .server("The lab's server did not start. \(error.userMessage)")
    }
  }

  mutating func stop() async {
    await server?.stop()
    server = nil
  }

  mutating func restart() async throws(LabError) {
    await stop()
    try await start()
  }

  /// Makes a backup of its data.
  mutating func backUp() async throws(LabError) {
    await stop()
    try? FileManager.default.removeItem(at: backup)
    try LabFolder.copy(data, to: backup)
    try await start()
  }

  /// Restores the backup.
  mutating func putBack() async throws(LabError) {
    await stop()
    generation += 1
    try LabFolder.copy(backup, to: data)
    try await start()
  }

  /// Throws if the store failed.
  func check() throws(LabError) {
    if let sentence = failure.sentence.withLock({ $0 }) {
      throw .server("The lab's server failed. \(sentence)")
    }
  }

  /// A pairing link for the account, which is created on the first call.
  mutating func link() async throws(LabError) -> PairingLink {
    do {
      let path = Server.adminSocketPath(in: data.path)
      let channel = try GRPCChannel(to: .address(.unix(path: path)))
      let method = hasAccount ? Method.Admin.inviteDevice : Method.Admin.addAccount
      let answer: Result<[UInt8], any Error>
      do {
        answer = .success(
          try await channel.unary(method, AccountRequest(name: Self.account).packed))
      } catch {
        answer = .failure(error)
      }
      await channel.close()
      let invitation = try Invitation(unpacking: answer.get())
      hasAccount = true
      return try PairingLink(
        server: ServerAddress(parsing: invitation.address), code: invitation.code)
    } catch {
      throw .server("The lab's server made no pairing link. Try again.")
    }
  }
}

/// A seeded, reproducible generator. Not for secrets: a lab's data is fictitious.
final class LabRandom: Sendable {
  private let generator: Mutex<SplitMix>

  init(seed: UInt64) {
    generator = Mutex(SplitMix(seed: seed))
  }

  func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in
      (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) }
    }
  }
}

/// SplitMix64. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator; equal seeds give equal sequences.
  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
