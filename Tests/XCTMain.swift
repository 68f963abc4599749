// SPDX-License-Identifier: Apache-2.0
// Where the test program begins. Without this file SwiftPM looks for XCTest cases in an index of
// all sources, which the compiler would have to write; there are none.

import Testing

@main
enum Tests {
  static func main() async {
    // `swift test` first asks for a list of XCTest cases, by an argument that Testing ignores.
    let arguments = CommandLine.arguments
    guard let option = arguments.firstIndex(of: "--testing-library"),
      arguments.indices.contains(option + 1), arguments[option + 1] == "swift-testing"
    else { return print("[]") }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
