// SPDX-License-Identifier: Apache-2.0
// The client's codec and the server's, protobuf-c, agree on every message and on every other bytes.

import AtrestTestSupport
import AtrestWire
import AtrestWireCases
import Testing

@Suite("Both codecs", .timeLimit(.minutes(20)))
struct AgreementTests {
  /// Whether there is no disagreement; one is recorded in words.
  private func holds(_ disagreement: String?, about bytes: [UInt8] = []) -> Bool {
    guard let disagreement else { return true }
    Issue.record("\(disagreement)\(bytes.isEmpty ? "" : ": \(hex(bytes))")")
    return false
  }

  @Test("write the same bytes, and read each other's", arguments: AnyPublicMessage.all)
  func values(of message: AnyPublicMessage) {
    checkLaw(cases: 1_000) { random in holds(message.valueDisagreement(&random)) }
  }

  /// Fields twice, which are merged; in another order; of another wire type; unknown; overlong.
  @Test("judge changed messages alike, however deep the change", arguments: AnyPublicMessage.all)
  func changed(message: AnyPublicMessage) throws {
    try checkLaw(cases: 3_000) { random in
      var tree = try #require(FieldTree(message.sample(&random)))
      let other = try #require(FieldTree(message.sample(&random)))
      for _ in 0..<Int.random(in: 1...4, using: &random) { tree.mutate(&random, with: other) }
      let bytes = tree.encoded(&random)
      return holds(message.disagreement(bytes), about: bytes)
    }
  }

  @Test("judge two messages in one alike", arguments: AnyPublicMessage.all)
  func joined(message: AnyPublicMessage) {
    checkLaw(cases: 500) { random in
      let bytes = message.sample(&random) + message.sample(&random)
      return holds(message.disagreement(bytes), about: bytes)
    }
  }

  @Test("judge damaged messages alike", arguments: AnyPublicMessage.all)
  func damaged(message: AnyPublicMessage) {
    checkLaw(cases: 3_000) { random in
      var bytes = message.sample(&random)
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = .random(in: 0...255, using: &random)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
        default: bytes.insert(.random(in: 0...255, using: &random), at: index)
        }
      }
      if random.oneIn(3) {
        bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      }
      return holds(message.disagreement(bytes), about: bytes)
    }
  }

  @Test("judge random bytes alike", arguments: AnyPublicMessage.all)
  func random(message: AnyPublicMessage) {
    checkLaw(cases: 2_000) { random in
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ -> UInt8 in
        random.oneIn(2)
          ? .random(in: 0...0x2F, using: &random) : .random(in: 0...255, using: &random)
      }
      return holds(message.disagreement(bytes), about: bytes)
    }
  }

  /// protobuf-c accepts some of these and refuses others, for reasons of its own.
  @Test(
    "judge odd tags and lengths alike", arguments: AnyPublicMessage.all,
    [
      [0x00], [0x07, 0x01], [0x80, 0x00, 0x01], [0x80, 0x80, 0x00, 0x01],
      [0x88, 0x80, 0x80, 0x80, 0x00, 0x01], [0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01],
      [0x88, 0x80, 0x80, 0x80, 0x10, 0x01], [0xF8, 0xFF, 0xFF, 0xFF, 0x7F, 0x01],
      [0x0B, 0x0C], [0x0C], [0x0E, 0x00], [0x0F, 0x00], [0x08], [0x88],
      [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],
      [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
      [0x0A, 0x80, 0x80, 0x80, 0x80, 0x00], [0x0A, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
      [0x0A, 0x81, 0x80, 0x80, 0x80, 0x10], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
      [0x0A, 0x01], [0x0A, 0x01, 0x00], [0x09, 1, 2, 3, 4, 5, 6, 7], [0x0D, 1, 2, 3],
      [0x12, 0x00], [0x12, 0x01, 0x80], [0x2A, 0x02, 0x08, 0x00], [0x2D, 1, 2, 3, 4],
      [0xA0, 0x06, 0x01], [0xA2, 0x06, 0x01, 0xFF], [0xA3, 0x06],
    ] as [[UInt8]])
  func oddities(message: AnyPublicMessage, bytes: [UInt8]) {
    #expect(holds(message.disagreement(bytes), about: bytes))
    checkLaw(cases: 3) { random in
      let before = message.sample(&random) + bytes
      return holds(message.disagreement(before), about: before)
    }
  }
}
