// SPDX-License-Identifier: Apache-2.0
// The native export format: complete, sealed, and unchanged by a round trip.

import AtrestDomain
import AtrestFuzzing
import AtrestPortability
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@Suite("Our own export", .timeLimit(.minutes(20)))
struct AtrestExportTests {
  private static func write(_ records: [Record], stamps: Bool = false) throws -> [UInt8] {
    AtrestExport.write(records, madeAt: later, program: "1.0", stamps: stamps).bytes
  }

  @Test("every field of every record that is not deleted comes back, unknown fields and kinds too")
  func roundTrip() throws {
    try checkLaw(cases: 300) { random in
      let records = random.records(0...20)
      let stamps = random.oneIn(2)
      let file = try Portability.parse(Self.write(records, stamps: stamps))
      let special = [Register.deletedField, Register.pruneFloorField]
      let live = records.filter { !$0.isDeleted }
      guard file.entries.map(\.key) == live.map(\.key) else { return false }
      return zip(file.entries, live).allSatisfy { entry, record in
        let registers = record.registers.filter { !special.contains($0.field) }
        return entry.values.map(\.field) == registers.map(\.field)
          && entry.values.map(\.bytes) == registers.map(\.value)
          && entry.values.map(\.stamp) == registers.map { stamps ? $0.stamp : nil }
          && entry.acted == (stamps ? record[Register.deletedField]?.stamp : nil)
      }
    }
  }

  @Test("whatever a replica can hold, its export is read: each record is brought in, or counted")
  func anyShape() throws {
    try checkLaw(cases: 1000) { random in
      let records = random.shapedRecords(0...6)
      let stamps = random.oneIn(2)
      let file = try Portability.parse(Self.write(records, stamps: stamps))
      let live = records.count { !$0.isDeleted }
      return file.entries.count + file.leftOut.values.reduce(0, +) == live
    }
  }

  @Test("an export of records of very many kinds is read again")
  func manyKinds() throws {
    let records = (0..<1000).map { number in
      var record = Record(
        key: RecordKey(
          kind: RecordKind(rawValue: UInt32(5000 + number)), id: Array(repeating: 7, count: 16)))
      record.set(
        Register(
          field: 2, stamp: Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 1)),
          replaced: nil, value: [1]))
      return record
    }
    #expect(try Portability.parse(Self.write(records)).entries.count == 1000)
    // As an editor that puts a byte order mark first leaves it.
    let marked = try Portability.parse([0xEF, 0xBB, 0xBF] + Self.write(records))
    #expect(marked.entries.count == 1000)
  }

  @Test("of a record without a field, and of one without room for another stamp, the rest is read")
  func fullRecords() throws {
    let stamp = Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 1))
    func record(_ id: UInt8, _ fields: [(FieldNumber, Int)]) -> Record {
      var record = Record(key: RecordKey(kind: RecordKind(rawValue: 9), id: [id]))
      for (field, bytes) in fields {
        record.set(
          Register(field: field, stamp: stamp, value: [UInt8](repeating: 0, count: bytes)))
      }
      return record
    }
    func fields(_ numbers: ClosedRange<FieldNumber>) -> [(FieldNumber, Int)] {
      numbers.filter { $0 != Register.pruneFloorField }.map { ($0, 1) }
    }
    let long: [(FieldNumber, Int)] = [(2, 16_384), (3, 16_384), (4, 16_384)]
    var last = 16_384
    while record(3, long + [(5, last)]).encoded.count > Record.Limits.encodedBytes { last -= 1 }
    let records = [
      record(1, [(1, 0)]), record(2, fields(2...66)), record(3, long + [(5, last)]),
      record(4, fields(2...65)),
    ]
    for record in records {
      #expect(try Record(decoding: record.encoded) == record)
      #expect(record.encoded.count <= Record.Limits.encodedBytes)
    }
    let file = try Portability.parse(Self.write(records, stamps: true))
    #expect(file.entries.map(\.key.id) == [[4]])
    #expect(file.leftOut == [RecordKind(rawValue: 9): 3])
  }

  @Test("a signed purchase comes back byte for byte")
  func purchase() throws {
    let fact = try #require(EntitlementField.record(jws: Self.purchase))
    let file = try Portability.parse(Self.write([fact], stamps: true))
    #expect(file.entries.first?.signedTransaction == Self.purchase)
    #expect(ImportDecision(try #require(file.entries.first), stored: fact) == .known)
  }

  /// Not signed: merging needs only the content.
  static let purchase: [UInt8] = {
    let claims = Data(
      #"{"transactionId":"20000001","originalTransactionId":"20000001","signedDate":1700000000000}"#
        .utf8)
    let middle = claims.base64EncodedString().replacingOccurrences(of: "=", with: "")
    return Array("eyJhbGciOiJFUzI1NiJ9.\(middle).AAAA".utf8)
  }()

  @Test("any byte that changes, and any cut, is noticed")
  func seal() throws {
    var random = SeededRandom(seed: 7)
    let bytes = try Self.write(random.records(8...8))
    for _ in 0..<300 {
      var changed = bytes
      let index = random.number(0...(bytes.count - 2))
      changed[index] ^= UInt8(1 << random.number(0...7))
      #expect(problem { _ = try Portability.parse(changed) } != nil, "byte \(index)")
      let cut = Array(bytes[..<random.number(0...(bytes.count - 2))])
      #expect(problem { _ = try Portability.parse(cut) } != nil, "cut at \(cut.count)")
    }
    let body = bytes[..<(bytes.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)]
    #expect(problem { _ = try Portability.parse(Array(body)) } == .cutShort)
  }

  @Test("a newer version is named")
  func version() throws {
    let text = String(decoding: try Self.write([]), as: UTF8.self)
      .replacingOccurrences(of: "\"version\":1", with: "\"version\":3")
    #expect(
      problem { _ = try Portability.parse(Array(text.utf8)) }
        == .unsupportedVersion(found: 3, current: 2))
  }

  /// Calls odd kinds by a word, and reads every field of theirs.
  private static func words(_ record: Record) -> RecordInWords? {
    guard record.key.kind.rawValue % 2 == 1 else { return nil }
    let fields = record.registers.map { ("field_\($0.field)", ["bytes": $0.value.count]) }
    return RecordInWords(
      kind: "app_\(record.key.kind.rawValue % 5)", id: "“\(record.key.id.count)”",
      fields: Dictionary(uniqueKeysWithValues: fields))
  }

  @Test("words for an app's kinds change nothing of what is read, and only they make it version 2")
  func inWords() throws {
    try checkLaw(cases: 300) { random in
      let records = random.oneIn(2) ? random.records(0...20) : random.shapedRecords(0...6)
      let plain = AtrestExport.write(
        records, madeAt: later, program: "1", stamps: random.oneIn(2))
      let isStamped = plain.bytes.contains(UInt8(ascii: "@"))
      let named = AtrestExport.write(
        records, madeAt: later, program: "1", stamps: isStamped, inWords: Self.words)
      let (file, worded) = (try Portability.parse(plain.bytes), try Portability.parse(named.bytes))
      let hasWords = named.bytes != plain.bytes
      return file.entries == worded.entries && file.leftOut == worded.leftOut
        && plain.counts == named.counts && file.version == 1
        && worded.version == (hasWords ? 2 : 1)
    }
  }

  @Test("a record reads in words, beside what is stored; a name that is taken is not used")
  func named() throws {
    var record = Record(key: RecordKey(kind: RecordKind(rawValue: 1040), id: [7]))
    let stamp = Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 1))
    record.set(Register(field: 2, stamp: stamp, value: [18, 1, 65]))
    func lines(_ kind: String, _ text: String = "A") throws -> [Substring] {
      let bytes = AtrestExport.write([record], madeAt: later, program: "1") { _ in
        RecordInWords(kind: kind, id: "seven", fields: ["title": ["text": text]])
      }.bytes
      #expect(try Portability.parse(bytes).entries.map(\.key) == [record.key])
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
    let written = try lines("sprout")
    #expect(written[0].contains(#""records":{"sprout":1},"version":2"#))
    #expect(
      written[1]
        == #"{"fields":{"title":{"text":"A"}},"id":"seven","id_base64":"Bw==","kind":"sprout","kind_number":1040,"raw":{"2":"EgFB"}}"#
    )
    for taken in ["session", "conflict", "kind_1040", "kind_x", ""] {
      let written = try lines(taken)
      #expect(written[0].contains(#""records":{"kind_1040":1},"version":1"#))
      #expect(written[1] == #"{"id_base64":"Bw==","kind":"kind_1040","raw":{"2":"EgFB"}}"#)
    }
    // Words may be longer than what they say. A line that nobody could read back has none.
    #expect(try lines("sprout", String(repeating: "A", count: 300_000))[1].utf8.count < 100)
  }

  @Test("nothing deleted leaves, and `since` keeps what is open and what has no time")
  func chosen() throws {
    var random = SeededRandom(seed: 11)
    let records = random.records(200...200)
    let (bytes, counts) = AtrestExport.write(
      records, madeAt: later, program: "1", since: WallTime(seconds: 1_000_000_000))
    let keys = Set(try Portability.parse(bytes).entries.map(\.key))
    #expect(keys.count == counts.values.reduce(0, +))
    for record in records {
      let isOld: Bool
      switch record.key.kind {
      case .session:
        let end = try Session(record).span.end
        isOld = end.map { $0 < WallTime(seconds: 1_000_000_000) } ?? false
      case .water: isOld = try WaterEntry(record).intake.at < WallTime(seconds: 1_000_000_000)
      default: isOld = false
      }
      #expect(keys.contains(record.key) == (!record.isDeleted && !isOld))
    }
  }

  @Test("what no replica may hold is refused with its line, whoever sealed it")
  func hostileLines() throws {
    let id = "00000000-0000-0000-0000-00000000000a"
    let lines = [
      #"{"kind":"session","id":"x","target_minutes":5}"#,
      #"{"kind":"session","id":"\#(id)","target_minutes":0}"#,
      #"{"kind":"session","id":"\#(id)","intake":{"at":"2025-01-01T00:00:00Z","millilitres":5}}"#,
      #"{"kind":"session","id":"\#(id)","span":{"start":"2025-01-02T00:00:00Z","end":"2025-01-01T00:00:00Z","outcome":"completed"}}"#,
      #"{"kind":"session","id":"\#(id)","span":{"start":"2025-01-02T00:00:00Z","outcome":"paused"}}"#,
      #"{"kind":"water","id":"\#(id)","intake":{"at":"2025-01-01T00:00:00Z","millilitres":99999999999999}}"#,
      #"{"kind":"preference","id":"","value":"x"}"#,
      #"{"kind":"preference","id":"a","value":"\u0000"}"#,
      #"{"kind":"preference","id":"a","value":"x","raw":{"1":"CAE="}}"#,
      #"{"kind":"preference","id":"a","value":"x","raw":{"15":"eAE="}}"#,
      #"{"kind":"preference","id":"a","value":"x","raw":{"2":"CAE="}}"#,
      #"{"kind":"preference","id":"a","value":"x","raw":{"017":""}}"#,
      #"{"kind":"preference","id":"a","value":"x","stamps":{"value":"9999999999999999.0@1"}}"#,
      #"{"kind":"entitlement","id":"1","signed_transaction":"a.b.c"}"#,
      #"{"kind":"kind_0","id_base64":"AA==","raw":{"2":""}}"#,
      #"{"kind":"kind_3","id_base64":"AA==","raw":{"2":""}}"#,
      #"{"kind":"kind_9","id_base64":"","raw":{"2":""}}"#,
      #"{"kind":"sprout","id_base64":"AA==","raw":{"2":""}}"#,
      #"{"kind":"sprout","kind_number":0,"id_base64":"AA==","raw":{"2":""}}"#,
      #"{"kind":"sprout","kind_number":1,"id_base64":"AA==","raw":{"2":""}}"#,
      #"{"kind":"session","kind_number":9,"id_base64":"AA==","raw":{"2":""}}"#,
      #"{"kind":"kind_9","kind_number":9,"id_base64":"AA==","raw":{"2":""}}"#,
      #"{"kind":"sprout","kind_number":9,"id":"x","raw":{"2":""}}"#,
      #"{"kind":"sprout","kind_number":99999999999,"id_base64":"AA==","raw":{"2":""}}"#,
      "[]", "", "7",
    ]
    for line in lines {
      let error = problem { _ = try Portability.parse(Sealed.file([line])) }
      switch error {
      case .invalidFormat(.line(2)), .impossible(.line(2), _), .newer(.line(2)): break
      default: Issue.record("\(line): \(String(describing: error))")
      }
    }
    // Records that a replica may have received but that people may not write are omitted and
    // counted.
    let odd = [
      #"{"kind":"session","id":"\#(id)"}"#,
      #"{"kind":"session","id":"\#(id)","target_minutes":960}"#,
      #"{"kind":"preference","id":"a","value":"x","raw":{"17":"EgE="}}"#,
      #"{"kind":"kind_4000000000","id_base64":"AA==","raw":{"2":""}}"#,
    ]
    for line in odd {
      let file = try Portability.parse(Sealed.file([line]))
      #expect(file.entries.isEmpty && file.leftOut.values.reduce(0, +) == 1, "\(line)")
    }
    let fine = #"{"kind":"kind_9","id_base64":"AA==","raw":{"2":""}}"#
    #expect(try Portability.parse(Sealed.file([fine])).entries.count == 1)
    // Whatever the words say, what is stored counts.
    let worded =
      #"{"kind":"sprout","kind_number":9,"id":"x","id_base64":"AA==","fields":[7],"raw":{"2":""}}"#
    #expect(
      try Portability.parse(Sealed.file([worded])).entries.map(\.values)
        == Portability.parse(Sealed.file([fine])).entries.map(\.values))
  }

  @Test("no bytes make the reader trap, and what it takes from any bytes keeps the laws")
  func noise() throws {
    var found: String?
    try checkLaw(cases: 3000) { random in
      var bytes: [UInt8]
      switch random.number(0...3) {
      case 0: bytes = random.bytes(0...200)
      case 1: bytes = try Example.allCases[random.number(0...2)].bytes()
      case 2:
        // Only the lines. The test adds the seal.
        let written = try Self.write(random.records(1...4), stamps: random.oneIn(2))
        bytes = Array(
          written.split(separator: 0x0A).dropFirst().dropLast().joined(separator: [0x0A]))
      default:
        let letters = Array(
          "{}[]:,\"0123456789-.eE version payload sessions null true\\u0000\n".utf8)
        bytes = (0..<random.number(0...300)).map { _ in
          letters[random.number(0...(letters.count - 1))]
        }
      }
      for _ in 0..<random.number(0...4) where !bytes.isEmpty {
        bytes[random.number(0...(bytes.count - 1))] = UInt8.random(in: 0...255, using: &random)
      }
      found = try brokenParsingLaw(bytes)
      return found == nil
    }
    #expect(found == nil)
  }
}
