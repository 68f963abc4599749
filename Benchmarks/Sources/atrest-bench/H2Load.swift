// SPDX-License-Identifier: Apache-2.0
// The no-op exchange under h2load, an independent load generator, compared with nghttpd, nghttp2's
// own C++ server, which serves a small file.

import AtrestRPC
import AtrestWire
import Foundation
import Glibc

/// Runs a program; returns its output and exit code, which is 127 if it is not installed.
private func run(_ program: String, _ arguments: [String]) throws -> (text: String, code: Int32) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  try process.run()
  let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (text, process.terminationStatus)
}

private let calls = 300_000
private let shape = ["-n", "\(calls)", "-c", "50", "-m", "20"]

/// Prints rate and CPU time per call for both; over TLS both use the daemon's certificate.
func measureUnderH2Load(_ server: ServerProcess, _ caller: Caller) async throws {
  print(
    "\nNo-op exchanges under h2load, 50 connections x 20 streams, \(figure(Double(calls))) calls, "
      + (caller.trust == nil ? "in the clear" : "over TLS"))
  guard try run("h2load", ["--version"]).code != 127, try run("nghttpd", ["--version"]).code != 127
  else {
    print("left out: h2load and nghttpd are not installed (Debian: nghttp2-client, nghttp2-server)")
    return
  }
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("atrest-h2load-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }

  let scheme = caller.trust == nil ? "http" : "https"
  let message = try await ExchangeRequest(cursor: caller.head()).encoded
  let body = folder.appendingPathComponent("body")
  try Data([0] + withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message)
    .write(to: body)
  let token = caller.metadata.text("authorization") ?? ""

  row("server", "calls/s", "server us/call")
  let before = server.processorMicroseconds
  let ours = try run(
    "h2load",
    shape + [
      "-d", body.path, "-H", "content-type: application/grpc", "-H", "te: trailers", "-H",
      "authorization: \(token)", "\(scheme)://\(server.address)\(Method.Sync.exchange)",
    ]
  ).text
  row(
    "atrest-syncd", rate(ours),
    figure((server.processorMicroseconds - before) / Double(calls), decimals: 1))

  let file = folder.appendingPathComponent("file")
  try Data(repeating: 65, count: 56).write(to: file)
  let port = 20_000 + Int.random(in: 0..<20_000)
  let peer = Process()
  peer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  peer.arguments =
    caller.trust == nil
    ? ["nghttpd", "--no-tls", "-d", folder.path, "\(port)"]
    : ["nghttpd", "-d", folder.path, "\(port)", server.identity.path, server.identity.path]
  peer.standardOutput = FileHandle.nullDevice
  peer.standardError = FileHandle.nullDevice
  try peer.run()
  defer {
    kill(peer.processIdentifier, SIGKILL)  // Otherwise it waits for its connections to close.
    peer.waitUntilExit()
  }
  // nghttpd does not announce that it is ready, and nghttp exits with 0 on failure. Poll until the
  // first page arrives.
  let page = "\(scheme)://127.0.0.1:\(port)/file"
  while try !run("nghttp", [page]).text.contains("AAAA") {
    guard peer.isRunning else { throw BenchmarkError(description: "nghttpd did not start") }
  }
  let start = processorMicroseconds(of: peer.processIdentifier)
  let theirs = try run("h2load", shape + [page]).text
  row(
    "nghttpd (a 56-byte file)", rate(theirs),
    figure((processorMicroseconds(of: peer.processIdentifier) - start) / Double(calls), decimals: 1)
  )
}

/// Parses calls per second from h2load's summary; all calls must have been answered with 200.
private func rate(_ text: String) -> String {
  guard text.contains("\(calls) succeeded"),
    let line = text.split(separator: "\n").first(where: { $0.hasPrefix("finished in") }),
    let number = line.split(separator: ",").dropFirst().first?.split(separator: " ").first,
    let value = Double(number)
  else { return "failed" }
  return figure(value)
}
