// SPDX-License-Identifier: Apache-2.0
// Checks that the tables of requirements and of checks name existing tests.

import Foundation
import Testing

@Suite("The table of coverage", .timeLimit(.minutes(20)))
struct CoverageTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  private func table(_ name: String = "develop/seed-coverage.md") throws -> String {
    let docs = Self.tests.deletingLastPathComponent().appendingPathComponent("docs")
    return try String(contentsOf: docs.appendingPathComponent(name), encoding: .utf8)
  }

  /// The names of all tests, as `Suite/test`.
  private static let known = Result { try names() }

  private static func names() throws -> Set<String> {
    var names: Set<String> = []
    for file in FileManager.default.enumerator(atPath: Self.tests.path)?.allObjects ?? [] {
      guard let file = file as? String, file.hasSuffix(".swift") else { continue }
      let source = try String(
        contentsOf: Self.tests.appendingPathComponent(file), encoding: .utf8)
      var suite = ""
      var isTest = false
      for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
        // Most lines are neither; the regular expressions would take a minute to say so.
        guard
          line.contains("class ") || line.contains("struct ") || line.hasPrefix("  @Test")
            || line.hasPrefix("  func ")
        else { continue }
        if let match = line.firstMatch(
          of: /^(?:@Suite(?:\(.*\))? |private |final )*(?:struct|class) ([A-Za-z0-9_]+)/)
        {
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

  @Test(
    "every test that it names exists",
    arguments: ["develop/seed-coverage.md", "operate/entitlements.md"])
  func tests(page: String) throws {
    let named = try table(page).matches(of: /`([A-Za-z]+Tests\/[A-Za-z0-9_]+)`/).map {
      String($0.1)
    }
    let known = try Self.known.get()
    #expect(named.count > 50 && known.count > 150)
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
