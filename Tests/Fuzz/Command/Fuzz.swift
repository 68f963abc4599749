// SPDX-License-Identifier: Apache-2.0
// The fuzzing program: libFuzzer's command line for the target in FUZZ_TARGET.

import AtrestFuzzing
import CAtrestFuzzer
import Foundation

@main
struct Fuzz {
  /// In the environment, because libFuzzer restarts its program with the same command line for
  /// merging and minimizing.
  private static let target = FuzzTarget.all.first {
    $0.name == ProcessInfo.processInfo.environment["FUZZ_TARGET"]
  }

  static func main() throws {
    if CommandLine.arguments.dropFirst() == ["--list"] {
      for target in FuzzTarget.all { print(target.name, target.limitBytes) }
      return
    }
    guard let target else {
      let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
      FileHandle.standardError.write(
        Data(
          "FUZZ_TARGET=… fuzz [--seeds FOLDER | libFuzzer's command line]; one of \(names)\n".utf8))
      exit(64)
    }
    guard CommandLine.argc == 3, CommandLine.arguments[1] == "--seeds" else { exit(run()) }
    for (name, input) in try target.seeds() {
      let folder = URL(fileURLWithPath: CommandLine.arguments[2])
      try Data(input).write(to: folder.appendingPathComponent(name))
    }
  }

  private static func run() -> Int32 {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    return withUnsafeMutablePointer(to: &arguments) { pointer in
      LLVMFuzzerRunDriver(
        &count,
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(
          to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
      ) { bytes, count in
        let input = Array(UnsafeBufferPointer(start: bytes, count: count))
        do { try Fuzz.target?.run(input) } catch { fatalError("a law was broken: \(error)") }
        return 0
      }
    }
  }
}
