// SPDX-License-Identifier: Apache-2.0
// Runs each measurement against a fresh daemon and prints the figures.

import Foundation

private let usage = """
  usage: atrest-bench PATH-TO-ATREST-SYNCD [throughput|flatness|wire|no-op|h2load|one-change|pulls|push-beside|bulk|writers]...
         atrest-bench PATH-TO-ATREST-SYNCD --store URL [bulk|writers|delivery|watchers=CONNECTIONS]...
         atrest-bench PATH-TO-ATREST-SYNCD --store SMALL --store LARGE filled=ACCOUNTS
  """

@main
enum Main {
  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.popFirst() else {
      print(usage)
      exit(64)
    }
    let binary = URL(fileURLWithPath: path)
    var stores: [String] = []
    while arguments.first == "--store", let store = arguments.dropFirst().first {
      stores.append(store)
      arguments = arguments.dropFirst(2)
    }
    if let store = stores.last {
      try await measure(binary, on: store, beside: stores.first, Array(arguments))
    } else {
      try await measure(binary, Set(arguments))
    }
  }

  /// Each on a daemon with a file of its own.
  ///
  /// - Parameter chosen: None: all.
  private static func measure(_ binary: URL, _ chosen: Set<String>) async throws {
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
    try await measure("flatness") { try await measureFlatness($0) }
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
    try await measure("bulk") { try await measureBulkTransfers($0) }
    try await measure("writers") { try await measureWriters($0) }
  }

  /// On daemons of one PostgreSQL database, over TLS.
  ///
  /// - Parameter small: A database of a hundred accounts.
  private static func measure(
    _ binary: URL, on store: String, beside small: String?, _ chosen: [String]
  ) async throws {
    for word in chosen {
      let (name, number) = (word.prefix { $0 != "=" }, Int(word.drop { $0 != "=" }.dropFirst()))
      var servers = [try ServerProcess(binary: binary, store: store, options: manyConnections)]
      defer { for server in servers { server.stop() } }
      func daemons(_ count: Int) throws -> [ServerProcess] {
        while servers.count < count {
          servers.append(
            try ServerProcess(
              binary: binary, store: store, like: servers[0], options: manyConnections))
        }
        return servers
      }
      switch (name, number) {
      case ("bulk", nil): try await measureBulkTransfers(servers[0])
      case ("writers", nil): try await measureWriters(servers[0])
      case ("delivery", nil): try await measureDelivery(from: servers[0], to: daemons(2)[1])
      case ("filled", let count?):
        let other = try ServerProcess(binary: binary, store: small)
        defer { other.stop() }
        try await measureFilledDatabases((other, servers[0]), accounts: (100, count))
      case ("watchers", let connections?):
        try await measureWatchers(daemons(3), connections: connections)
      default: throw BenchmarkError(description: "there is no measurement \(word)\n\(usage)")
      }
    }
  }

  /// All of a load generator's connections come from one address.
  private static let manyConnections = ["--limit", "max-connections-per-address=20000"]
}
