// SPDX-License-Identifier: Apache-2.0
// The daemon under test: a real process with a fresh directory, and what the system says it cost.

import Foundation

/// What went wrong around a benchmark.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
}

/// A running `atrest-syncd`.
final class ServerProcess: @unchecked Sendable {
  // Sendable because nothing changes after `init`, and one task at a time uses it.
  let address: String
  private let process: Process
  private let binary: URL
  private let directory: URL
  private let log: URL

  /// Starts the daemon on a free port of the loopback address and waits until it listens.
  ///
  /// - Parameter isEncrypted: As people run it, with a certificate of its own. In the clear only
  ///   beside a peer that is.
  init(binary: URL, isEncrypted: Bool) throws {
    self.binary = binary
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-bench-\(UUID().uuidString)")
    let output = Pipe()
    process = Process()
    process.executableURL = binary
    process.arguments =
      ["serve", "--data", directory.path, "--listen", "127.0.0.1:0"]
      + (isEncrypted ? [] : ["--insecure"])
    process.standardOutput = output
    let log = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-bench-\(UUID().uuidString).log")
    try Data().write(to: log)
    self.log = log
    process.standardError = try FileHandle(forWritingTo: log)
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

  /// Stops the daemon and removes what it stored.
  /// - Returns: The last line of its log: calls by status, as it counted them.
  @discardableResult
  func stop() -> String {
    process.terminate()
    process.waitUntilExit()
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    try? FileManager.default.removeItem(at: directory)
    try? FileManager.default.removeItem(at: log)
    return text.split(separator: "\n").last.map(String.init) ?? ""
  }

  /// The key and the certificate that the daemon made, as PEM in one file. There is none in the
  /// clear.
  var identity: URL { directory.appendingPathComponent("identity.pem") }

  /// Makes an account; the result is its pairing link, as people get it: it names the certificate.
  func addAccount(_ name: String) throws -> String {
    let output = Pipe()
    let command = Process()
    command.executableURL = binary
    command.arguments = ["account", "add", name, "--data", directory.path]
    command.standardOutput = output
    command.standardError = FileHandle.nullDevice  // What to do with the link.
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

  /// Processor time the daemon has used so far.
  var processorMicroseconds: Double {
    atrest_bench.processorMicroseconds(of: process.processIdentifier)
  }

  /// The most memory the daemon has had resident, in megabytes.
  var peakMegabytes: Double {
    let text =
      (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8))
      ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
      Double($0)
    }
    return (number ?? 0) / 1024
  }
}

/// Processor time a process has used so far, in microseconds. The kernel counts in steps of 10,000.
func processorMicroseconds(of process: Int32) -> Double {
  let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
  let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
  guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
    return 0
  }
  return (user + system) * 10_000
}

/// Processor time this process has used so far, in microseconds.
func ownProcessorMicroseconds() -> Double { processorMicroseconds(of: getpid()) }
