// SPDX-License-Identifier: Apache-2.0
// Runs each measurement against a fresh daemon and prints the figures.

import Foundation

@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else {
      print(
        "usage: atrest-bench PATH-TO-ATREST-SYNCD [throughput|wire|no-op|h2load|one-change|pulls|push-beside]..."
      )
      exit(64)
    }
    let binary = URL(fileURLWithPath: path)
    let chosen = Set(arguments.dropFirst())
    // Over TLS, as deployed; in plaintext only for comparison with a plaintext peer.
    func measure(
      _ name: String, isEncrypted: Bool = true, _ body: (ServerProcess) async throws -> Void
    ) async throws {
      guard chosen.isEmpty || chosen.contains(name) else { return }
      let server = try ServerProcess(binary: binary, isEncrypted: isEncrypted)
      defer { server.stop() }
      try await body(server)
    }
    try await measure("throughput") { server in
      try await measureThroughput(server, way: "over TLS", sizes: [1_000, 10_000], rounds: 7)
    }
    try await measure("throughput") { server in
      try await measureThroughput(server, way: "over TLS", sizes: [100_000], rounds: 3)
      print("server peak resident: \(figure(server.peakMegabytes, decimals: 1)) MB")
    }
    try await measure("throughput", isEncrypted: false) { server in
      try await measureThroughput(
        server, way: "in the clear as Anki", sizes: [1_000, 10_000], rounds: 7)
    }
    try await measure("wire") { try await measureWireBytes($0) }
    try await measure("no-op") { try await measureNoOps($0, Caller($0, account: "no-op")) }
    for isEncrypted in [true, false] {
      try await measure("h2load", isEncrypted: isEncrypted) { server in
        try await measureUnderH2Load(server, Caller(server, account: "h2load"))
        print("the daemon's own count: \(server.stop())")
      }
    }
    try await measure("one-change") { try await measureOneChange($0) }
    try await measure("pulls") { try await measurePulls($0) }
    try await measure("push-beside") { try await measurePushesBesidePulls($0) }
  }
}
