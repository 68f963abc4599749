// SPDX-License-Identifier: Apache-2.0
// Shapes that only an attacker sends. That no bytes trap is checked beside protobuf-c's verdict on
// them.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@Suite("Hostile messages", .timeLimit(.minutes(20)))
struct HostileTests {
  @Test("many small registers are refused before they are kept")
  func manyRegisters() {
    // An offer, whose record is one field: the bound on fields does not see what is in it.
    let registers = [UInt8]((0..<60_000).flatMap { _ in [0x1A, 0x00] as [UInt8] })
    let bomb: [UInt8] = [0x0A, 0xC0, 0xA9, 0x07] + registers
    #expect(throws: WireError.tooLong) {
      try Offer(decoding: bomb)
    }
  }

  @Test("fields beside the contract's are skipped, and those in a register's value are kept")
  func unknown() throws {
    var record = Record(key: RecordKey(kind: .session, id: [1]))
    record.set(
      Register(
        field: 9, stamp: Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 1)),
        value: [0x4A, 0x02, 0xF8, 0x01]))
    let later = record.encoded + [0xA2, 0x06, 0x01, 0xFF, 0xA5, 0x06, 1, 2, 3, 4]
    let read = try Record(decoding: later)
    #expect(read == record)
    #expect(read.message == [0x4A, 0x02, 0xF8, 0x01])
    #expect(read.encoded == record.encoded)
  }

  /// Other implementations end text at its first NUL: "home\0 - keep this one!" was read as "home".
  @Test("text with a NUL in it is refused, wherever it is")
  func nul() throws {
    func request(_ name: String) -> [UInt8] { [0x0A, UInt8(name.utf8.count)] + Array(name.utf8) }
    #expect(try HealthCheckRequest(decoding: request("home")).service == "home")
    #expect(try HealthCheckRequest(decoding: request("")).service.isEmpty)
    for name in ["home\0 - keep this one!", "\0", "\0home", "home\0", "home\0\0"] {
      #expect(throws: WireError.invalid("text has a NUL in it")) {
        try HealthCheckRequest(decoding: request(name))
      }
    }
    // Where protobuf-c would write shorter text, all of it is written, and refused.
    #expect(HealthCheckRequest(service: "a\0b").encoded == request("a\0b"))
  }

  @Test("a field twice counts once: the last number, the last text, both halves of a message")
  func twice() throws {
    let twice: [UInt8] = [0x0A, 0x01, 0xFF, 0x0A, 0x01, 0x62]
    #expect(try HealthCheckRequest(decoding: twice).service == "b")
    // Of two segments the later one's numbers count, and the steps of both.
    let token: [UInt8] = [0x11, 1, 0, 0, 0, 0, 0, 0, 0]
    let offers: [UInt8] = [0x12, 1, 7, 0x12, 1, 8]
    let first: [UInt8] = [0x32, 14] + token + [0x18, 5, 0x22, 1, 2]
    let second: [UInt8] = [0x32, 11] + token + [0x20, 3]
    let request = try ExchangeRequest(decoding: offers + first + second)
    #expect(request.segment?.settledThrough == 0)
    #expect(request.segment?.numbers == [2, 5])
  }

  @Test("a rule's words tell nothing of what was sent")
  func silent() throws {
    let request: [UInt8] = [0x0A, 0x02, 0xC3, 0x28]
    #expect(throws: WireError.invalid("text is not UTF-8")) { try PairRequest(decoding: request) }
    #expect("\(WireError.malformed)" == "malformed")
    #expect("\(WireError.tooLong)" == "a part is larger than allowed")
  }
}
