// SPDX-License-Identifier: Apache-2.0
// The iOS app's files: reading, verification, error messages, and writing.

import AtrestDomain
import AtrestFoundation
import AtrestPortability
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@Suite("Files of the iOS app", .timeLimit(.minutes(20)))
struct IOSFilesTests {
  @Test("an export that another implementation wrote is read, and its checksum verified")
  func golden() throws {
    let file = try Portability.parse(Example.export.bytes())
    #expect(file.format == .iosExport)
    #expect(file.version == 1)
    #expect(file.count(.session) == 12)
    #expect(file.instants?.lowerBound == WallTime(seconds: 1_735_761_038))
    let first = try #require(file.entries.first)
    let id = try #require(RecordUUID(uuidString: "BD69FE29-D76D-4330-B144-6BEAB0C11FDE"))
    #expect(first.key == RecordKey(kind: .session, id: id.bytes))
    let span = try #require(
      Session.Span(
        start: WallTime(seconds: 1_735_761_038),
        end: WallTime(seconds: 1_735_799_962), outcome: .completed))
    #expect(first.values.map(\.bytes).first == SessionField.encode(span))
    #expect(first.values.map(\.bytes).last == SessionField.encode(targetMinutes: 18 * 60))
    // The second entry has no target: 16 hours.
    #expect(file.entries[1].values.last?.bytes == SessionField.encode(targetMinutes: 16 * 60))
  }

  @Test("the state file is read with the fast that goes on, the water log with its amounts")
  func stateFiles() throws {
    let state = try Portability.parse(Example.state.bytes())
    #expect(state.format == .iosSessionState)
    #expect(state.count(.session) == 12)
    #expect(state.active?.targetMinutes == 16 * 60)
    let water = try Portability.parse([0xEF, 0xBB, 0xBF] + Example.water.bytes())
    #expect(CSVFile.looksLikeJSON([0xEF, 0xBB, 0xBF, 0x5B]))
    #expect(water.format == .iosWaterLog)
    #expect(water.count(.water) == 8)
  }

  @Test("random exports of the other implementation are read, whatever their targets and layout")
  func foreign() throws {
    for seed in 1...5 {
      let answer = try Python.run("random", String(seed), "300")
      let file = try Portability.parse(Array(answer.out.utf8))
      #expect(file.count(.session) == 300)
    }
  }

  @Test("what we write, the other implementation accepts, and reading it gives the same fasts")
  func written() throws {
    let folder = try Folder()
    for seed in UInt64(1)...5 {
      var random = SeededRandom(seed: seed)
      let sessions = try (0..<200).map { _ in
        let start = WallTime(milliseconds: Int64(random.number(1...1_700_000_000_000)))
        let end = start.advanced(bySeconds: Double(random.number(0...100_000_000)) / 1000)
        return Session(
          id: random.uuid(),
          span: try #require(Session.Span(start: start, end: end, outcome: .completed)),
          targetMinutes: random.number(1...10_080))
      }
      let (bytes, count) = IOSExport.write(sessions, madeAt: later)
      #expect(count == sessions.filter(\.isInHistory).count, "seed \(seed)")
      try Data(bytes).write(to: folder.url.appendingPathComponent("out.json"))
      let answer = try Python.run("check", folder.path("out.json"))
      #expect(answer.code == 0 && answer.out == "\(count)\n", "seed \(seed)")

      let file = try Portability.parse(bytes)
      let known = Dictionary(uniqueKeysWithValues: sessions.map { ($0.id.bytes, $0) })
      #expect(file.entries.count == count)
      for entry in file.entries {
        let session = try #require(known[entry.key.id])
        let target = SessionField.encode(targetMinutes: session.targetMinutes)
        #expect(entry.values.last?.bytes == target, "seed \(seed)")
        #expect(
          entry.instants?.lowerBound.milliseconds
            == session.span.start.milliseconds / 1000 * 1000, "seed \(seed)")
      }
    }
  }

  @Test("fasts under 4 hours, open ones and abandoned ones are not exported")
  func historyOnly() throws {
    let start = WallTime(seconds: 1_700_000_000)
    func session(_ hours: Double?, _ outcome: Session.Outcome) throws -> Session {
      Session(
        id: RecordUUID.random(),
        span: try #require(
          Session.Span(
            start: start, end: hours.map { start.advanced(bySeconds: $0 * 3600) }, outcome: outcome)
        ),
        targetMinutes: 960)
    }
    let sessions = try [
      session(3.999, .completed), session(4, .completed), session(16, .abandoned),
      session(nil, .active),
    ]
    let (bytes, count) = IOSExport.write(sessions, madeAt: later)
    #expect(count == 1)
    #expect(try Portability.parse(bytes).entries.map(\.key.id) == [sessions[1].id.bytes])
  }

  @Test("a changed byte is a checksum mismatch, another version is named, nonsense is nonsense")
  func refused() throws {
    let text = try Example.export.text()
    let changed = text.replacingOccurrences(
      of: "2025-01-02T06:39:22Z", with: "2025-01-02T06:39:23Z")
    #expect(changed != text)
    #expect(problem { _ = try Portability.parse(Array(changed.utf8)) } == .checksumMismatch)

    let newer = text.replacingOccurrences(of: "\"version\": 1", with: "\"version\": 2")
    #expect(
      problem { _ = try Portability.parse(Array(newer.utf8)) }
        == .unsupportedVersion(found: 2, current: 1))

    for nonsense in [
      "", "  ", "{}", "[1]", "hello", "{\"version\":1}", "{\"version\":\"1\"}", "[", "null",
    ] {
      switch problem({ _ = try Portability.parse(Array(nonsense.utf8)) }) {
      case .invalidFormat: break
      case let other: Issue.record("\(nonsense): \(String(describing: other))")
      }
    }
    // Other apps' JSON is not taken for a version of the app's, or a broken log of its water.
    for other in [#"{"version":3,"fasts":[]}"#, #"[{"start":1,"end":2}]"#] {
      #expect(problem { _ = try Portability.parse(Array(other.utf8)) } == .invalidFormat(nil))
    }
    #expect(
      problem { _ = try Portability.parse([UInt8](repeating: 0x2C, count: 11_000_000)) }
        == .tooManyEntries(limit: Portability.Limits.entries))
    #expect(
      problem { _ = try Portability.parse([UInt8](repeating: 0x5B, count: 200_000)) } != nil)
  }

  @Test("an impossible entry is named, and refuses the whole file")
  func impossible() throws {
    func state(_ fast: String) -> [UInt8] {
      let fine =
        #"{"id":"00000000-0000-0000-0000-00000000000A","start":"2025-01-01T00:00:00Z","end":"2025-01-01T16:00:00Z"}"#
      return Array(#"{"sessions":[\#(fine),\#(fast)],"completedCount":2}"#.utf8)
    }
    func fast(_ start: String, _ end: String, target: String = "16") -> [UInt8] {
      state(
        #"{"id":"00000000-0000-0000-0000-00000000000B","start":"\#(start)","end":"\#(end)","targetDurationHours":\#(target)}"#
      )
    }
    let place = ImportPlace.entry(2)
    let day = "2025-01-02T00:00:00Z"
    #expect(
      problem { _ = try Portability.parse(fast(day, "2025-01-01T23:59:59Z")) }
        == .impossible(place, .endBeforeStart))
    #expect(
      problem { _ = try Portability.parse(fast(day, "2025-01-16T00:00:01Z")) }
        == .impossible(place, .fastTooLong))
    #expect(try Portability.parse(fast(day, "2025-01-16T00:00:00Z")).entries.count == 2)
    for target in ["-1", "200", "1e300"] {
      #expect(
        problem { _ = try Portability.parse(fast(day, day, target: target)) }
          == .impossible(place, .targetOutOfRange))
    }
    // The app reads both a missing and a zero target as 16 hours.
    for target in ["0", "null"] {
      let entry = try Portability.parse(fast(day, day, target: target)).entries[1]
      #expect(entry.values.last?.bytes == SessionField.encode(targetMinutes: 960))
    }
    #expect(
      problem { _ = try Portability.parse(fast("1970-01-01T00:00:00Z", day)) }
        == .impossible(place, .longAgo))
    #expect(
      problem { _ = try Portability.parse(fast("2025-02-30T00:00:00Z", day)) }
        == .invalidFormat(place))

    let future = try Portability.parse(fast("2030-01-01T00:00:00Z", "2030-01-01T16:00:00Z"))
    #expect(problem { try future.check(now: later) } == .impossible(place, .inTheFuture))

    for amount in ["0", "-5", "20000", "1e18"] {
      let log =
        #"[{"id":"00000000-0000-0000-0000-00000000000A","date":"2025-01-01T00:00:00Z","amountMilliliters":\#(amount)}]"#
      #expect(
        problem { _ = try Portability.parse(Array(log.utf8)) }
          == .impossible(.entry(1), .amountOutOfRange))
    }
  }

  @Test("one id twice counts once, and is refused where the two differ")
  func twice() throws {
    func log(_ second: Int) -> [UInt8] {
      let entries = [250, second].map {
        #"{"id":"00000000-0000-0000-0000-00000000000A","date":"2025-01-01T00:00:00Z","amountMilliliters":\#($0)}"#
      }
      return Array("[\(entries.joined(separator: ","))]".utf8)
    }
    #expect(try Portability.parse(log(250)).entries.count == 1)
    #expect(problem { _ = try Portability.parse(log(300)) } == .contradiction(.entry(2)))
  }

  @Test("every refusal says what happened and what to do, in words that are ours")
  func words() {
    let problems: [PortabilityError] =
      [
        .tooLarge(limitBytes: 67_108_864), .tooManyEntries(limit: 5), .invalidFormat(nil),
        .invalidFormat(.line(3)), .unsupportedVersion(found: 2, current: 1), .checksumMismatch,
        .cutShort, .contradiction(.entry(2)), .newer(.line(9)),
      ] + InputProblem.allCases.map { .impossible(.active, $0) }
      + FileKind.allCases.map { .other($0) }
    for problem in problems {
      #expect(WordPolicy.allows(problem.userMessage))
      #expect(problem.userMessage.hasSuffix("."))
    }
  }
}
