// SPDX-License-Identifier: Apache-2.0
// The checks, in their order: each goes on with what the one before it left.

import AtrestClient
import AtrestGRPCSwift
import Foundation

/// A phone and a tablet on grpc-swift, and a laptop on the transport of Linux, in one account.
struct Checks {
  private let binary: URL
  private let data: URL
  private let server: Daemon
  private let phone: Replica
  private let tablet: Replica
  private let laptop: Replica

  init(binary: URL, data: URL) async throws {
    (self.binary, self.data) = (binary, data)
    phone = try await .open(directory: data.appending(path: "phone"), connector: .grpcSwift)
    tablet = try await .open(directory: data.appending(path: "tablet"), connector: .grpcSwift)
    laptop = try await .open(directory: data.appending(path: "laptop"))
    server = try Daemon(binary: binary, directory: data.appending(path: "server"))
  }

  func run() async throws {
    defer { server.kill() }
    try await check("three devices are paired over TLS, by a pinned certificate", pair)
    try await check("800 records are pushed and pulled", exchange)
    try await check("a conflict is kept, and restored", conflict)
    try await check("a watching tablet hears what the phone writes", watch)
    try await check("a call ends at its deadline, connecting included", deadline)
    try await check("a cancelled call ends at once, and a stream does", cancellation)
    try await check("another certificate is refused, in the words of Linux", fingerprint)
    try await check("a certificate that no authority signed is refused", authority)
    try await check("a watching tablet gets over a server that was killed", restart)
    try await check("disconnecting ends a stream, and the next call connects", disconnect)
    try await check("plaintext works on the loopback interface", plaintext)
    try await check("all three replicas are byte-identical", agree)
  }

  /// Runs a check, for half a minute at most.
  private func check(_ name: String, _ body: () async throws -> Void) async throws {
    let limit = Task {
      try await Task.sleep(for: .seconds(30))
      print("FAILED: \(name): it takes too long")
      exit(1)
    }
    defer { limit.cancel() }
    let start = ContinuousClock.now
    do { try await body() } catch {
      print("FAILED: \(name)")
      throw error
    }
    print("ok: \(name) (\(Int((ContinuousClock.now - start) / .milliseconds(1))) ms)")
  }

  private func pair() async throws {
    try await phone.pair(server.link("add"), name: "phone")
    try await tablet.pair(server.link("invite"), name: "tablet")
    try await laptop.pair(server.link("invite"), name: "laptop")
  }

  private func exchange() async throws {
    for replica in [phone, tablet] {
      try replica.transaction { transaction in
        for number in 1...400 {
          try transaction.save(Note("\(number): " + String(repeating: "evening ", count: 40)))
        }
      }
    }
    try await agree()
    let count = try await tablet.records(of: Note.self).count
    try expect(count == 800, "800 records, not \(count)")
  }

  private func conflict() async throws {
    var note = Note("A slow morning")
    try await phone.save(note)
    try await agree()
    note.text = "A good day"
    try await phone.save(note)
    note.text = "A day"
    try await tablet.save(note)
    try await agree()
    let entries = try await phone.conflicts()
    try expect(entries.count == 1, "one conflict, not \(entries.count)")
    for entry in entries { try await phone.restore(entry) }
    try await agree()
    let restored = try await laptop.record(of: Note.self, note.id)?.text
    try expect(restored == entries[0].lostFields[text: 2], "what lost is back")
  }

  private func watch() async throws {
    try await watching(tablet) { _ in
      try await tabletHears("Said by the phone")
    }
  }

  private func deadline() async throws {
    let link = try await phone.invite().link
    let transport = GRPCSwiftTransport(to: link.server)
    // It waits for an approval that nobody gives.
    try await expect(.status(4)) { () async throws(CallFailure) in
      try await pairing(link, through: transport, .milliseconds(300))
    }
    await transport.close()
    // The kernel takes the connection, and nobody answers TLS.
    server.halt()
    defer { server.resume() }
    let other = GRPCSwiftTransport(to: link.server)
    try await expect(.status(4)) { () async throws(CallFailure) in
      try await pairing(link, through: other, .milliseconds(300))
    }
  }

  private func cancellation() async throws {
    let link = try await phone.invite().link
    let transport = GRPCSwiftTransport(to: link.server)
    let call = Task {
      try await expect(.cancelled) { () async throws(CallFailure) in
        try await pairing(link, through: transport, .seconds(300))
      }
    }
    let watch = Task { [tablet] in try await tablet.watch { _, _ in } }
    try await tabletHears("Said, so the stream is open")
    try await Task.sleep(for: .milliseconds(100))
    let start = ContinuousClock.now
    call.cancel()
    watch.cancel()
    try await call.value
    do { try await watch.value } catch let error as SyncError {
      try expect(error.code == .cancelled, "a cancelled stream, not \(error.code)")
    }
    try expect(ContinuousClock.now - start < .seconds(1), "at once")
  }

  private func fingerprint() async throws {
    let wrong = String(repeating: "0", count: 64)
    let address = try ServerAddress(parsing: "\(server.address)/\(wrong)")
    let sentence = try await distrust(of: address, by: .platform).userMessage
    // Often, because a connection that fails must not be taken for one that was only cut.
    for _ in 1...100 {
      let error = try await distrust(of: address, by: .grpcSwift)
      try expect(error.userMessage == sentence, "the same sentence")
    }
  }

  private func authority() async throws {
    for host in ["localhost", "127.0.0.1"] {
      _ = try await distrust(
        of: ServerAddress(parsing: "\(host):\(server.port)/ca"), by: .grpcSwift)
    }
  }

  private func restart() async throws {
    try await watching(tablet) { failures in
      server.kill()
      for await _ in failures { break }
      do {
        try await phone.sync()
        throw CheckFailure("a server that was killed answered")
      } catch let error as SyncError {
        try expect(error.code == .unreachable, "unreachable, not \(error.code)")
      }
      try server.start()
      try await tabletHears("Said after the restart")
    }
  }

  private func disconnect() async throws {
    try await watching(tablet) { failures in
      try await tabletHears("Said, so the stream is open")
      await tablet.disconnect()
      for await _ in failures { break }
      await phone.disconnect()
      try await tabletHears("Said on another connection")
    }
    let link = try await phone.invite().link
    let transport = GRPCSwiftTransport(to: link.server)
    await transport.close()
    await transport.close()
    try await expect(.status(14)) { () async throws(CallFailure) in
      try await pairing(link, through: transport, .seconds(10))
    }
  }

  private func plaintext() async throws {
    let server = try Daemon(
      binary: binary, directory: data.appending(path: "plaintext"), options: ["--insecure"])
    defer { server.kill() }
    let replica = try Replica.inMemory(connector: .grpcSwift)
    try await replica.pair(server.link("add"), name: "phone")
    try await replica.save(Note("In the clear"))
    let report = try await replica.sync()
    try expect(report.pushed == 1, "one record is pushed, not \(report.pushed)")
  }

  /// The phone writes and syncs; the tablet, which watches, gets it.
  private func tabletHears(_ text: String) async throws {
    let note = Note(text)
    try await phone.save(note)
    try await phone.sync()
    try await arrival(of: note, at: tablet)
  }

  /// Everybody exchanges everything.
  private func agree() async throws {
    for replica in [phone, tablet, laptop, phone, tablet] { try await replica.sync() }
    let digests = try [phone, tablet, laptop].map { try $0.digest() }
    try expect(Set(digests).count == 1, "equal digests: \(digests)")
  }
}
