// SPDX-License-Identifier: Apache-2.0
// The limits that an operator can change: syntax, ranges, and agreement with their page.

import AtrestHTTP2
import Foundation
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct LimitsTests {
  private func limits(_ assignments: String...) throws -> ServerLimits {
    var limits = ServerLimits()
    for assignment in assignments { try limits.set(assignment) }
    return limits
  }

  @Test("connections fit what the process may open, and leave half to devices and to each address")
  func descriptors() throws {
    func bounds(_ limits: ServerLimits, _ descriptors: Int) -> [Int] {
      let fitted = limits.fitted(toDescriptors: descriptors)
      return [
        fitted.connections, fitted.maxUnauthenticatedConnections, fitted.connectionsPerAddress,
      ]
    }
    #expect(bounds(ServerLimits(), .max) == [10_000, 1_500, 1_000])
    #expect(bounds(ServerLimits(), 10_224) == [10_000, 1_500, 1_000])
    #expect(bounds(ServerLimits(), 2048) == [1824, 912, 912])
    #expect(bounds(ServerLimits(), 1024) == [800, 400, 400])
    #expect(bounds(ServerLimits(), 0) == [16, 8, 8])
    let small = try limits(
      "max-connections=500", "max-connections-per-address=20", "max-unauthenticated-connections=30")
    #expect(bounds(small, 1024) == [500, 30, 20])
    #expect(bounds(small, 324) == [100, 30, 20])
  }

  @Test("numbers, bytes and times are read as people write them")
  func reading() throws {
    let changed = try limits(
      "max-connections=500", "max-message-bytes=1MiB", "max-buffered-bytes=67108864",
      "request-timeout=90",
      "write-stall-timeout=1500ms", "idle-timeout=2h")
    #expect(changed.connections == 500)
    #expect(changed.transport.maxMessageBytes == 1 << 20)
    #expect(changed.maxBufferedBytes == 64 << 20)
    #expect(changed.transport.requestTimeout == .seconds(90))
    #expect(changed.transport.writeStall == .milliseconds(1500))
    #expect(changed.transport.idleConnection == .seconds(7200))
  }

  @Test(
    "what is no number of the range is refused, and the range is named",
    arguments: [
      "max-connections=15", "max-connections=1000001", "max-connections=", "max-connections=-5",
      "max-connections=1e3",
      "max-connections=5KiB", "max-connections=+50", "max-connections=٥٠٠", "max-message-bytes=1",
      "max-message-bytes=99999999999999999999", "max-message-bytes=999999999999GiB",
      "write-stall-timeout=5d",
      "write-stall-timeout=0",
    ])
  func outOfRange(assignment: String) throws {
    var limits = ServerLimits()
    do throws(LimitError) {
      try limits.set(assignment)
      Issue.record("it was taken")
    } catch {
      let name = String(assignment.prefix { $0 != "=" })
      let limit = try #require(ServerLimits.table.first { $0.name == name })
      #expect(error.userMessage.contains(name))
      #expect(error.userMessage.contains(limit.rangeText))
    }
    for limit in ServerLimits.table {
      #expect(limit.value(in: limits) == limit.value(in: ServerLimits()))
    }
  }

  @Test(
    "a name that there is not, and no assignment, are refused",
    arguments: ["x=1", "=1", "max-connections", ""])
  func unknown(assignment: String) {
    var limits = ServerLimits()
    #expect(throws: LimitError.self) { try limits.set(assignment) }
  }

  @Test("each limit has a name of its own, a default in its range, and reads back as it is written")
  func table() throws {
    #expect(Set(ServerLimits.table.map(\.name)).count == ServerLimits.table.count)
    for limit in ServerLimits.table {
      #expect(limit.range.contains(limit.value(in: ServerLimits())), "\(limit.name)")
      for value in [limit.range.lowerBound, limit.range.upperBound] {
        var limits = ServerLimits()
        try limits.set("\(limit.name)=\(limit.text(value))")
        #expect(limit.value(in: limits) == value, "\(limit.name)")
        let others = ServerLimits.table.filter { $0.name != limit.name }
        #expect(others.allSatisfy { $0.value(in: limits) == $0.value(in: ServerLimits()) })
      }
    }
  }

  @Test("the defaults suit each other on any machine", arguments: 1...8)
  func defaults(shards: Int) throws {
    try ServerLimits().check(shards: shards)
  }

  @Test(
    "limits that contradict each other are refused, and both are named",
    arguments: [
      ("max-stream-bytes=64MiB", "max-unsent-bytes", "4MiB"),
      ("max-unsent-bytes=13MiB", "max-buffered-bytes", "12MiB"),
      ("max-unfinished-bytes=13MiB", "max-buffered-bytes", "12MiB"),
      ("max-message-bytes=16MiB", "max-buffered-bytes", "12MiB"),
    ])
  func contradiction(assignment: String, other: String, most: String) throws {
    let limits = try limits(assignment)
    do throws(LimitError) {
      try limits.check(shards: 2)
      Issue.record("it was taken")
    } catch {
      guard case .contradiction(let limit, with: let named, most: _) = error else {
        Issue.record("\(error.userMessage)")
        return
      }
      #expect(limit.name == String(assignment.prefix { $0 != "=" }))
      #expect(named == other)
      for word in [limit.name, other, most] { #expect(error.userMessage.contains(word)) }
    }
  }

  @Test("what one limit leaves room for is taken to the last byte, and counts for each processor")
  func agreement() throws {
    try limits("max-stream-bytes=4MiB").check(shards: 2)
    let wide = try limits(
      "max-stream-bytes=16MiB", "max-unsent-bytes=16MiB", "max-buffered-bytes=32MiB")
    try wide.check(shards: 2)
    #expect(throws: LimitError.self) { try wide.check(shards: 3) }
    // A share is at least 10 MiB.
    let least = try limits("max-unfinished-bytes=10MiB", "max-buffered-bytes=20MiB")
    try least.check(shards: 8)
  }

  @Test("docs/operate/limits.md says what the table says")
  func page() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../docs/operate/limits.md").standardizedFileURL
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| `") }.map(String.init)
    let expected = ServerLimits.table.map {
      "| `\($0.name)` | \($0.text($0.value(in: ServerLimits()))) | \($0.rangeText) | \($0.meaning) |"
    }
    #expect(rows == expected)
  }

  @Test("names from before 1.0 mean what they meant, and are names of limits")
  func formerNames() throws {
    let names = Set(ServerLimits.table.map(\.name))
    for (former, current) in ServerLimits.formerNames {
      #expect(names.contains(current) && !names.contains(former))
    }
    #expect(try limits("held-bytes=32MiB").maxBufferedBytes == 32 << 20)
  }
}
