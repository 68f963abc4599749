// SPDX-License-Identifier: Apache-2.0
// The table of what the app's documents ask for names tests that exist.

import Foundation
import Testing

@Suite("The table of coverage")
struct CoverageTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  private func table() throws -> String {
    let root = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
    return try String(
      contentsOf: root.appendingPathComponent("docs/seed-coverage.md"), encoding: .utf8)
  }

  /// The names of all tests in this folder, as `Suite/test`.
  private func known() throws -> Set<String> {
    var names: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    where file.hasSuffix(".swift") {
      let source = try String(
        contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
      var suite = ""
      var isTest = false
      for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
        if let match = line.firstMatch(of: /^(?:private )?struct ([A-Za-z0-9_]+)/) {
          suite = String(match.1)
        }
        if line.hasPrefix("  @Test") { isTest = true }
        if let match = line.firstMatch(of: /^  func ([A-Za-z0-9_]+)\(/) {
          if isTest { names.insert("\(suite)/\(match.1)") }
          isTest = false
        }
      }
    }
    return names
  }

  @Test("every test that it names exists")
  func tests() throws {
    let named = try table().matches(of: /`([A-Za-z]+Tests\/[A-Za-z0-9_]+)`/).map { String($0.1) }
    let known = try known()
    #expect(named.count > 80 && known.count > 150)
    for name in named { #expect(known.contains(name), "\(name)") }
  }

  @Test("every line has a test, or says why it has none")
  func lines() throws {
    let rows = try table().split(separator: "\n").filter {
      $0.hasPrefix("| ") && !$0.hasPrefix("| line ") && !$0.hasPrefix("| rule ")
    }
    #expect(rows.count > 75)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let check = try #require(cells.last)
      #expect(cells.count == 2, "\(row)")
      let hasTest = check.contains(/`[A-Za-z]+Tests\/[a-z]/)
      let says = ["None: ", "CI", "As above", "The seven, below", "The whole of "]
      #expect(hasTest || says.contains { check.hasPrefix($0) }, "\(row)")
    }
  }
}
