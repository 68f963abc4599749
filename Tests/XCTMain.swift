// SPDX-License-Identifier: Apache-2.0
// Where the test program begins. Without this file SwiftPM looks for XCTest cases, of which there
// are none, in an index of all sources, which the compiler would have to write.

import Foundation
import Testing

@main
enum Tests {
  static func main() async {
    // `swift test --filter` asks for a list of XCTest cases first. It must not run all tests then.
    guard !CommandLine.arguments.contains("--dump-tests-json") else {
      let program = CommandLine.arguments[0]
      let line = "`swift test` cannot choose tests here. Run: \(program) --filter NAME\n"
      FileHandle.standardError.write(Data(line.utf8))
      exit(64)
    }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
