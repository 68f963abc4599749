// SPDX-License-Identifier: Apache-2.0
// What people see of encryption: links with a fingerprint, servers with another certificate,
// CA-signed certificates.

import Foundation
import Testing

@Suite("An encrypted server", .timeLimit(.minutes(20)))
struct EncryptionTests {
  /// A running server on a free port. Terminated with its last reference.
  private final class Daemon {
    let running: Binary.Running
    let port: String

    init(_ program: Binary, _ arguments: String..., listen: String = "127.0.0.1:0") throws {
      running = try program.start(["serve", "--listen", listen] + arguments)
      let said = try program.line(of: running)
      port = String(try #require(said.split(separator: ":").last))
    }

    func stop() -> Binary.Answer {
      running.process.terminate()
      return running.wait()
    }

    deinit { if running.process.isRunning { running.process.terminate() } }
  }

  @Test("is known by its certificate; another one in its place gets nothing, and takes nothing")
  func pinned() throws {
    let syncd = try Binary("atrest-syncd")
    var daemon = try Daemon(syncd)
    let link = try syncd("account", "add", "kim").out.trimmingCharacters(in: .newlines)
    let phone = try Binary()
    #expect(try phone("pair", link, "--name", "phone").code == 0)
    try phone("water", "add", "250")
    #expect(try phone("sync").code == 0)
    let port = daemon.port
    _ = daemon.stop()

    // A server with the same data and address but another key, like an attacker with a copy of the
    // database.
    let identity = syncd.data.appendingPathComponent("identity.pem")
    let kept = try Data(contentsOf: identity)
    try FileManager.default.removeItem(at: identity)
    daemon = try Daemon(syncd, listen: "127.0.0.1:\(port)")
    try phone("water", "add", "300")
    let refused = try phone("sync")
    #expect(refused.code == 77)
    #expect(refused.err.contains("not the one this device was paired with"))
    #expect(try phone("pair", link, "--name", "phone").code != 0)
    _ = daemon.stop()

    try kept.write(to: identity)
    chmod(identity.path, 0o600)
    daemon = try Daemon(syncd, listen: "127.0.0.1:\(port)")
    let synced = try phone("sync")
    #expect(synced.code == 0, "\(synced.err)")
    _ = daemon.stop()
  }

  @Test("does not listen in the clear where other machines can reach it")
  func inTheClear() throws {
    let syncd = try Binary("atrest-syncd")
    let open = try syncd(
      "serve", "--listen", "0.0.0.0:0", "--advertise", "a.example:1", "--insecure")
    #expect(open.code == 64 && open.err.contains("in the clear"))
    let nameless = try syncd("serve", "--listen", "0.0.0.0:0")
    #expect(nameless.code == 64 && nameless.err.contains("--advertise"))
    let former = try syncd("serve", "--public", "nonsense")
    #expect(former.code == 64 && former.err.contains("--public is called --advertise now.\n"))
    #expect(try syncd("serve", "--tls-cert", "a.pem").err.contains("go together"))
    #expect(try syncd("serve", "--tls-cert", "a", "--tls-key", "b", "--insecure").code == 64)
    let phone = try Binary()
    let link = try phone("pair", "atrest://192.0.2.1:7443/BCDF-GHJKLMNP", "--name", "phone")
    #expect(link.code == 64 && link.err.contains("no certificate to know it by"))
  }

  @Test("behind a proxy that encrypts says in its links that an authority vouches for the name")
  func proxied() throws {
    let syncd = try Binary("atrest-syncd")
    let daemon = try Daemon(syncd, "--insecure", "--advertise", "sync.example:443")
    #expect(try syncd("account", "add", "kim").out.hasPrefix("atrest://sync.example:443/ca/"))
    _ = daemon.stop()
    let local = try Binary("atrest-syncd")
    let other = try Daemon(local, "--insecure", "--advertise", "localhost:8443")
    #expect(try !local("account", "add", "kim").out.contains("/ca/"))
    _ = other.stop()
  }

  @Test("keeps its own certificate on SIGHUP, whatever became of the file")
  func ownStays() throws {
    let syncd = try Binary("atrest-syncd")
    let daemon = try Daemon(syncd)
    let link = try syncd("account", "add", "kim").out.trimmingCharacters(in: .newlines)
    try FileManager.default.removeItem(at: syncd.data.appendingPathComponent("identity.pem"))
    kill(daemon.running.process.processIdentifier, SIGHUP)
    _ = try syncd.line(of: daemon.running, err: "no certificate to read again")
    #expect(try Binary()("pair", link, "--name", "phone").code == 0)
    _ = daemon.stop()
  }

  @Test(
    "with an authority's certificate is checked by name and chain, and reads new files on SIGHUP")
  func authority() throws {
    let syncd = try Binary("atrest-syncd")
    let ca = try TestAuthority(in: syncd.home)
    try ca.issue("server", for: "DNS:localhost")
    let daemon = try Daemon(
      syncd, "--tls-cert", ca.path("server.pem"), "--tls-key", ca.path("server.key"),
      "--advertise", "localhost:1")
    let link = try syncd("account", "add", "kim").out.trimmingCharacters(in: .newlines)
      .replacingOccurrences(of: "localhost:1/", with: "localhost:\(daemon.port)/")
    #expect(link.contains("/ca/"))

    let stranger = try Binary()
    let unknown = try stranger("pair", link, "--name", "stranger")
    #expect(unknown.code == 77 && unknown.err.contains("Nobody this device trusts"))
    let trust = ["SSL_CERT_FILE": ca.path("ca.pem")]
    let misnamed = link.replacingOccurrences(of: "localhost:", with: "127.0.0.1:")
    #expect(try stranger("pair", misnamed, "--name", "x", with: trust).err.contains("is not for"))
    let paired = try stranger("pair", link, "--name", "stranger", with: trust)
    #expect(paired.code == 0, "\(paired.err)")

    // A world-readable key causes a warning.
    chmod(ca.path("server.key"), 0o644)
    kill(daemon.running.process.processIdentifier, SIGHUP)
    #expect(try syncd.line(of: daemon.running, err: "chmod 600").contains("mode=644"))
    chmod(ca.path("server.key"), 0o600)

    // A key that does not match keeps the old pair in use. A matching pair replaces it.
    try ca.issue("other", for: "DNS:localhost")
    try ca.replace("server.key", with: "other.key")
    kill(daemon.running.process.processIdentifier, SIGHUP)
    #expect(try syncd.line(of: daemon.running, err: "stays in use").contains("error"))
    #expect(try stranger("sync", with: trust).code == 0)
    try ca.replace("server.pem", with: "other.pem")
    kill(daemon.running.process.processIdentifier, SIGHUP)
    _ = try syncd.line(of: daemon.running, err: "read again")
    let synced = try stranger("sync", with: trust)
    #expect(synced.code == 0, "\(synced.err)")
    #expect(daemon.stop().code == 0)
  }
}

/// A CA for tests, created with the openssl command.
private struct TestAuthority {
  let folder: URL

  init(in folder: URL) throws {
    self.folder = folder
    try run(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
      "2",
      "-subj", "/CN=Test authority", "-keyout", path("ca.key"), "-out", path("ca.pem"))
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Creates `NAME.pem` and `NAME.key`.
  func issue(_ name: String, for names: String) throws {
    try run(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
      "/CN=\(name)",
      "-addext", "subjectAltName=\(names)", "-keyout", path("\(name).key"),
      "-out", path("\(name).csr"))
    try run(
      "x509", "-req", "-in", path("\(name).csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
      "-CAcreateserial", "-days", "1", "-copy_extensions", "copyall", "-out", path("\(name).pem"))
  }

  func replace(_ name: String, with other: String) throws {
    try Data(contentsOf: URL(fileURLWithPath: path(other)))
      .write(to: URL(fileURLWithPath: path(name)))
  }

  private func run(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "openssl \(arguments.first ?? "")")
  }
}
