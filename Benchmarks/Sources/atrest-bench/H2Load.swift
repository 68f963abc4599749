// SPDX-License-Identifier: Apache-2.0
// The same no-op exchange under h2load, a load generator that is not ours, beside nghttpd, a server that is not ours:
// it is nghttp2's own, in C++, and answers with a small file.

import Foundation
import GRPC
import Glibc
import SyncProtocol

/// Runs a program and returns what it printed; nil if it is not installed.
private func output(of program: String, _ arguments: [String]) throws -> String? {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  try process.run()
  let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return process.terminationStatus == 127 ? nil : text
}

private let calls = 300_000
private let shape = ["-n", "\(calls)", "-c", "50", "-m", "20"]

/// Prints rate and processor time a call for both.
func measureUnderH2Load(_ server: ServerProcess, _ caller: Caller) async throws {
  print(
    "\nNo-op exchanges under h2load, 50 connections x 20 streams, \(figure(Double(calls))) calls")
  guard try output(of: "h2load", ["--version"]) != nil,
    try output(of: "nghttpd", ["--version"]) != nil
  else {
    print("left out: h2load and nghttpd are not installed (Debian: nghttp2-client, nghttp2-server)")
    return
  }
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("atrest-h2load-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }

  let channel = try GRPCChannel(to: caller.endpoint)
  let head = try await ExchangeResponse(
    decoding: channel.unary(
      Method.exchange, ExchangeRequest(cursor: nil).encoded, metadata: caller.metadata)
  ).cursor
  await channel.close()
  let message = ExchangeRequest(cursor: head).encoded
  let body = folder.appendingPathComponent("body")
  try Data([0] + withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message)
    .write(to: body)
  let token = caller.metadata.text("authorization") ?? ""

  row("server", "calls/s", "server us/call")
  let before = server.processorMicroseconds
  let ours = try output(
    of: "h2load",
    shape + [
      "-d", body.path, "-H", "content-type: application/grpc", "-H", "te: trailers", "-H",
      "authorization: \(token)", "http://\(server.address)\(Method.exchange)",
    ])
  row(
    "atrest-syncd", rate(ours),
    figure((server.processorMicroseconds - before) / Double(calls), decimals: 1))

  let file = folder.appendingPathComponent("file")
  try Data(repeating: 65, count: 56).write(to: file)
  let port = 20_000 + Int.random(in: 0..<20_000)
  let peer = Process()
  peer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  peer.arguments = ["nghttpd", "--no-tls", "-d", folder.path, "\(port)"]
  peer.standardOutput = FileHandle.nullDevice
  peer.standardError = FileHandle.nullDevice
  try peer.run()
  defer {
    kill(peer.processIdentifier, SIGKILL)  // It waits for its connections otherwise.
    peer.waitUntilExit()
  }
  // It says nothing when it is ready: the first answer tells.
  while try output(of: "nghttp", ["-n", "http://127.0.0.1:\(port)/file"]) == nil {}
  let start = processorMicroseconds(of: peer.processIdentifier)
  let theirs = try output(of: "h2load", shape + ["http://127.0.0.1:\(port)/file"])
  row(
    "nghttpd (a 56-byte file)", rate(theirs),
    figure((processorMicroseconds(of: peer.processIdentifier) - start) / Double(calls), decimals: 1)
  )
}

/// Calls a second, of h2load's summary; all of them must have been answered 200.
private func rate(_ text: String?) -> String {
  guard let text, text.contains("\(calls) succeeded"),
    let line = text.split(separator: "\n").first(where: { $0.hasPrefix("finished in") }),
    let number = line.split(separator: ",").dropFirst().first?.split(separator: " ").first,
    let value = Double(number)
  else { return "failed" }
  return figure(value)
}
