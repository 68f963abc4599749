// SPDX-License-Identifier: Apache-2.0
// Runs a program of the package as people and scripts do.

import AtrestCommandLine
import AtrestDomain
import Foundation
import Testing

/// A program with a temporary replica folder.
final class Binary: Sendable {
  struct Answer {
    var out: String
    var err: String
    var code: Int32

    /// Standard output as JSON.
    func json() throws -> Any {
      try JSONSerialization.jsonObject(with: Data(out.utf8))
    }
  }

  let home: URL
  let program: URL

  /// - Parameter name: The program's name.
  init(_ name: String = "atrest") throws {
    // The test runner is in the same directory as the package's programs.
    let runner = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var folder = runner.deletingLastPathComponent()
    while !FileManager.default.isExecutableFile(
      atPath: folder.appendingPathComponent(name).path)
    {
      try #require(folder.path != "/", "the program was not built beside the tests")
      folder.deleteLastPathComponent()
    }
    program = folder.appendingPathComponent(name)
    home = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: home)
  }

  /// The daemon's default data folder.
  var data: URL { home.appendingPathComponent(".local/share/atrest-syncd") }

  var replica: URL { home.appendingPathComponent(".local/share/atrest") }

  /// The sanitizer settings of this process, passed on so that programs are checked like the tests.
  private static let sanitizers = ProcessInfo.processInfo.environment.filter {
    ["ASAN_OPTIONS", "LD_PRELOAD", "TSAN_OPTIONS", "SWIFT_BACKTRACE"].contains($0.key)
  }

  /// Starts the program. Returns the process and its two pipes.
  ///
  /// - Parameters:
  ///   - input: The text on standard input.
  ///   - output: Standard output instead of a pipe.
  func start(
    _ arguments: [String], _ environment: [String: String] = [:], typing input: String = "",
    to output: FileHandle? = nil
  ) throws -> Running {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ["HOME": home.path, "TZ": "Europe/Berlin"]
      .merging(Self.sanitizers) { $1 }.merging(environment) { $1 }
    let (out, err) = (Pipe(), Pipe())
    process.standardOutput = output ?? out
    if output != nil { try out.fileHandleForWriting.close() }
    process.standardError = err
    let typed = Pipe()
    process.standardInput = typed
    try process.run()
    try? typed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try typed.fileHandleForWriting.close()
    return Running(process: process, out: out, err: err)
  }

  struct Running {
    let process: Process
    let out: Pipe
    let err: Pipe

    func wait() -> Answer {
      let out = out.fileHandleForReading.readDataToEndOfFile()
      let err = err.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let answer = Answer(
        out: String(decoding: out, as: UTF8.self), err: String(decoding: err, as: UTF8.self),
        code: process.terminationStatus)
      expectAllowedWords(answer.out + answer.err)
      return answer
    }
  }

  /// The next line of a running program's standard output, or the first line of its standard error
  /// that contains a word.
  func line(of running: Running, err word: String? = nil) throws -> String {
    let handle = (word == nil ? running.out : running.err).fileHandleForReading
    while true {
      var line: [UInt8] = []
      while line.last != UInt8(ascii: "\n") {
        let more = handle.readData(ofLength: 1)
        try #require(!more.isEmpty, "the program ended: \(String(decoding: line, as: UTF8.self))")
        line += more
      }
      let text = String(decoding: line.dropLast(), as: UTF8.self)
      if word.map({ text.contains($0) }) ?? true { return text }
    }
  }

  @discardableResult
  func callAsFunction(_ arguments: String..., with environment: [String: String] = [:]) throws
    -> Answer
  {
    try start(arguments, environment).wait()
  }
}

/// Checks a program's output. All output in every test passes through here: none may contain a
/// phrase that Atrest never uses.
func expectAllowedWords(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
  let findings = WordPolicy.findings(in: text)
  if !findings.isEmpty { Issue.record("banned words: \(findings)", sourceLocation: sourceLocation) }
}
