// SPDX-License-Identifier: Apache-2.0
// The daemon under test: a real process with a fresh directory, and its resource usage.

import Foundation

/// A failure of the benchmark setup.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
}

/// A running `atrest-syncd`.
final class ServerProcess: @unchecked Sendable {
  // `@unchecked`: immutable after `init`, and used by one task at a time.
  let address: String
  private let process: Process
  private let binary: URL
  private let directory: URL
  private let log: URL

  /// Starts the daemon on a free loopback port and waits until it listens.
  ///
  /// - Parameters:
  ///   - isEncrypted: Whether to use TLS with a self-signed certificate, as deployed. Plaintext
  ///     only for comparison with a plaintext peer.
  ///   - store: The URL of a PostgreSQL database; nil for a file of its own.
  ///   - other: A daemon whose key and certificate it shares, as daemons of one database do.
  ///   - options: Further ones of `atrest-syncd serve`.
  init(
    binary: URL, isEncrypted: Bool = true, store: String? = nil, like other: ServerProcess? = nil,
    options: [String] = []
  ) throws {
    self.binary = binary
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-bench-\(UUID().uuidString)")
    let output = Pipe()
    process = Process()
    process.executableURL = binary
    process.arguments =
      ["serve", "--data", directory.path, "--listen", "127.0.0.1:0"]
      + (isEncrypted ? [] : ["--insecure"]) + (store.map { ["--store", $0] } ?? []) + options
    process.standardOutput = output
    let log = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-bench-\(UUID().uuidString).log")
    try Data().write(to: log)
    self.log = log
    process.standardError = try FileHandle(forWritingTo: log)
    if let other {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try FileManager.default.copyItem(at: other.identity, to: Self.identity(in: directory))
    }
    try process.run()
    var line = ""
    while !line.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw BenchmarkError(description: "the daemon did not start") }
      line += String(decoding: data, as: UTF8.self)
    }
    guard let address = line.split(whereSeparator: \.isWhitespace).last else {
      throw BenchmarkError(description: "the daemon did not say where it listens")
    }
    self.address = String(address)
  }

  /// Stops the daemon and removes its data.
  /// - Returns: The last line of its log: its own count of calls by status.
  @discardableResult
  func stop() -> String {
    process.terminate()
    process.waitUntilExit()
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    try? FileManager.default.removeItem(at: directory)
    try? FileManager.default.removeItem(at: log)
    return text.split(separator: "\n").last.map(String.init) ?? ""
  }

  /// The daemon's key and certificate in one PEM file. Absent in plaintext mode.
  var identity: URL { Self.identity(in: directory) }

  private static func identity(in directory: URL) -> URL {
    directory.appendingPathComponent("identity.pem")
  }

  /// Creates an account and returns its pairing link, which includes the certificate fingerprint.
  func addAccount(_ name: String) throws -> String {
    let output = Pipe()
    let command = Process()
    command.executableURL = binary
    command.arguments = ["account", "add", name, "--data", directory.path]
    command.standardOutput = output
    command.standardError = FileHandle.nullDevice  // Drops the instructions for the link.
    try command.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    command.waitUntilExit()
    guard
      let link = text.split(whereSeparator: \.isWhitespace).first(where: {
        $0.hasPrefix("atrest://")
      })
    else { throw BenchmarkError(description: "no pairing link in: \(text)") }
    return String(link)
  }

  /// The CPU time used by the daemon so far.
  var processorMicroseconds: Double {
    atrest_bench.processorMicroseconds(of: process.processIdentifier)
  }

  /// The daemon's peak resident memory in megabytes.
  var peakMegabytes: Double { megabytes("VmHWM") }

  /// The daemon's resident memory in megabytes.
  var residentMegabytes: Double { megabytes("VmRSS") }

  private func megabytes(_ entry: String) -> Double {
    let text =
      (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8))
      ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(entry) }
    let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
      Double($0)
    }
    return (number ?? 0) / 1024
  }
}

/// The CPU time used by a process so far, in microseconds. The kernel's resolution is 10,000.
func processorMicroseconds(of process: Int32) -> Double {
  let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
  let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
  guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
    return 0
  }
  return (user + system) * 10_000
}

/// The CPU time used by this process so far, in microseconds.
func ownProcessorMicroseconds() -> Double { processorMicroseconds(of: getpid()) }
