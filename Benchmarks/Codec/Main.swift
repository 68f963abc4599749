// SPDX-License-Identifier: Apache-2.0
// Measures both codecs side by side: nanoseconds to encode and to decode a record, and to hash it.

import AtrestProtocol
import AtrestReplication
import AtrestWire

/// In the package itself and not in that of the other benchmarks, because no product has both
/// codecs.
@main
enum Main {
  /// Completed fasts, as a phone would have them: three registers, 117 bytes.
  static let records: [Record] = (0..<1_000 as Range<Int64>).map { index in
    let stamp = Stamp(
      time: HybridTime(WallTime(milliseconds: 1_600_000_000_000 + index)),
      replica: ReplicaID(rawValue: 0x1234_5678_9ABC_DEF0))
    let start = 1_500_000_000_000 + index * 86_400_000
    let span = SessionMessage.Span(start: start, end: start + 57_600_000, outcome: 1)
    let id = (0..<16).map { UInt8(truncatingIfNeeded: Int(index) &* 31 &+ $0) }
    var record = Record(key: RecordKey(kind: .session, id: id))
    record.set(Register(field: Register.deletedField, stamp: stamp, value: []))
    record.set(
      Register(
        field: SessionField.span, stamp: stamp, value: SessionMessage(span: span).encoded))
    record.set(
      Register(
        field: SessionField.target, stamp: stamp, value: SessionField.encode(targetMinutes: 960)))
    return record
  }

  static func main() throws {
    let encoded = records.map(\.encoded)
    precondition(encoded == records.map(\.packed), "the codecs write other bytes")
    print(
      "a record of \(encoded[0].count) bytes in three registers, median of \(rounds) rounds, ns")
    line("", "protobuf-c", "Swift")
    var count = 0
    line(
      "encode", measure { for record in records { count += record.packed.count } },
      measure { for record in records { count += record.encoded.count } })
    line(
      "decode",
      try measure {
        for bytes in encoded { count += try Record(unpacking: bytes).registers.count }
      },
      try measure {
        for bytes in encoded { count += try Record(decoding: bytes).registers.count }
      })
    line("", "OpenSSL", "Swift")
    var sum = Fingerprint()
    line(
      "SHA-256",
      measure { for bytes in encoded { sum.add(Fingerprint.fastHash(ofRecord: bytes)) } },
      measure { for bytes in encoded { sum.add(Fingerprint.hash(ofRecord: bytes)) } })
    // Otherwise the compiler might leave out the work.
    precondition(count > 0 && sum.count > 0, "nothing was measured")
  }

  private static let rounds = 201

  /// Nanoseconds a record.
  private static func measure(_ body: () throws -> Void) rethrows -> String {
    var samples: [Double] = []
    for _ in 0..<rounds {
      let start = ContinuousClock.now
      try body()
      let taken = (ContinuousClock.now - start).components
      samples.append(Double(taken.attoseconds) / 1e9 / Double(records.count))
    }
    return "\(Int(samples.sorted()[rounds / 2].rounded()))"
  }

  private static func line(_ name: String, _ cells: String...) {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    print(
      name + String(repeating: " ", count: 12 - name.count) + cells.map { padded($0, 14) }.joined())
  }
}
