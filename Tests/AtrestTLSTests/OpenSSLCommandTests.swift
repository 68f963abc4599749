// SPDX-License-Identifier: Apache-2.0
// Tests the server with `openssl s_client`, if installed.

import AtrestTestSupport
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(20))) struct OpenSSLCommandTests {
  private static let path = "/usr/bin/openssl"
  static let isThere = FileManager.default.isExecutableFile(atPath: path)

  /// The command's output, and whether it succeeded.
  private func client(_ port: UInt16, _ arguments: String) async throws -> (String, Bool) {
    try await blocking {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Self.path)
      process.arguments =
        ["s_client", "-connect", "127.0.0.1:\(port)"]
        + arguments.split(separator: " ").map(String.init)
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      process.standardInput = FileHandle.nullDevice
      try process.run()
      let text = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return (String(decoding: text, as: UTF8.self), process.terminationStatus == 0)
    }
  }

  @Test(
    "versions, protocols and ciphers are what they should be", .enabled(if: isThere),
    arguments: [
      ("-alpn h2", "New, TLSv1.3"),
      ("-alpn h2 -tls1_3", "ALPN protocol: h2"),
      ("-alpn http/1.1,h2 -tls1_2", "ALPN protocol: h2"),
      ("-alpn h2 -tls1_2", "New, TLSv1.2"),
      ("-alpn h2 -tls1_2", "Compression: NONE"),
      ("-alpn h2 -tls1_2 -no_ticket", "Cipher    : ECDHE-ECDSA"),
      ("-alpn h2 -tls1_3 -no_ticket", "Early data was not sent"),
      ("-alpn h2 -tls1_2 -cipher ECDHE+CHACHA20", "CHACHA20-POLY1305"),
      ("-alpn h2 -groups P-384", "ALPN protocol: h2"),
      ("-alpn h2 -tls1_3 -servername sync.example.org", "Server public key is 256 bit"),
    ])
  func accepted(arguments: String, sign: String) async throws {
    let world = try World()
    guard case .ipv4(_, let port) = world.address else { throw Unexpected("not IPv4") }
    let (text, isContent) = try await client(port, arguments)
    #expect(isContent && text.contains(sign), "\(text)")
    await world.stop()
    #expect(world.server.statistics.failedHandshakes == 0)
  }

  @Test(
    "everything else is refused", .enabled(if: isThere),
    arguments: [
      ("-alpn h2 -tls1 -cipher DEFAULT@SECLEVEL=0", "alert protocol version"),
      ("-alpn h2 -tls1_1 -cipher DEFAULT@SECLEVEL=0", "alert protocol version"),
      ("-tls1_3", "alert no application protocol"),
      ("-tls1_2", "alert no application protocol"),
      ("-alpn http/1.1", "alert no application protocol"),
      ("-alpn h2 -tls1_2 -cipher AES128-GCM-SHA256", "handshake failure"),
      ("-alpn h2 -tls1_2 -cipher ECDHE-ECDSA-AES128-SHA", "handshake failure"),
      ("-alpn h2 -tls1_2 -cipher aNULL@SECLEVEL=0", "handshake failure"),
      ("-alpn h2 -tls1_2 -cipher DHE+AESGCM", "handshake failure"),
    ])
  func refused(arguments: String, sign: String) async throws {
    let world = try World()
    guard case .ipv4(_, let port) = world.address else { throw Unexpected("not IPv4") }
    let (text, isContent) = try await client(port, arguments)
    #expect(!isContent && text.contains(sign), "\(text)")
    await world.stop()
    #expect(world.server.statistics.failedHandshakes == 1)
  }
}
