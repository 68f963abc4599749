// SPDX-License-Identifier: Apache-2.0
// The fuzzing program: one target, and libFuzzer's own options behind it.

import CFuzzer
import Foundation
import Fuzzing

@main
struct Fuzz {
  /// Set once, before the fuzzer runs, and only read then.
  nonisolated(unsafe) private static var target: FuzzTarget?

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "--list": for target in FuzzTarget.all { print(target.name, target.limitBytes) }
    case "--seeds":
      // fuzz --seeds TARGET FOLDER
      guard let target = find(arguments.dropFirst().first), let folder = arguments.last else {
        usage()
      }
      for (name, input) in try target.seeds() {
        try Data(input).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
      }
    default:
      guard let target = find(arguments.first) else { usage() }
      Self.target = target
      exit(run())
    }
  }

  private static func run() -> Int32 {
    // libFuzzer takes the rest of the command line as its own.
    var count = CommandLine.argc - 1
    var rest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    return withUnsafeMutablePointer(to: &rest) { pointer in
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

  private static func find(_ name: String?) -> FuzzTarget? {
    FuzzTarget.all.first { $0.name == name }
  }

  private static func usage() -> Never {
    let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
    FileHandle.standardError.write(
      Data("usage: fuzz TARGET [libFuzzer's options and folders]; targets: \(names)\n".utf8))
    exit(64)
  }
}
