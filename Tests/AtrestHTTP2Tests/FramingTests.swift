// SPDX-License-Identifier: Apache-2.0
// Specifies the small parts: message framing, percent encoding, base64, metadata, instants.

import Testing

@testable import AtrestHTTP2

@Suite("Small parts", .timeLimit(.minutes(20)))
struct FramingTests {
  @Test("messages come out as they went in, however both sides cut them", arguments: 0..<100)
  func cuts(seed: UInt64) throws {
    var sizes = noise(400, seed: seed)[...]
    func next() -> Int { Int(sizes.popFirst() ?? 1) }
    var queue = SendQueue()
    var reader = MessageReader()
    var sent: [[UInt8]] = []
    var got: [[UInt8]] = []
    var flags: [Bool] = []
    for round in 0..<40 {
      if round < 30 {
        let message = noise(next() * (next() % 3), seed: UInt64(round))
        sent.append(message)
        queue.append(message, flag: round % 2 == 1 ? .compressed : .plain)
      }
      try drain(&queue, pieces: 1 + next() % 5, pieceBytes: 1 + next(), &reader) {
        got.append($0)
        flags.append($1)
      }
    }
    try drain(&queue, pieces: .max, pieceBytes: 50, &reader) {
      got.append($0)
      flags.append($1)
    }
    #expect(got == sent, "seed \(seed)")
    #expect(flags == sent.indices.map { $0 % 2 == 1 }, "seed \(seed)")
    #expect(queue.byteCount == 0)
    #expect(!reader.isMidMessage)
  }

  @Test("a message's first byte says whether it is compressed, and nothing else")
  func flags() throws {
    for flag: UInt8 in 0...255 {
      var reader = MessageReader()
      var got: [Bool] = []
      func feed() throws {
        try [flag, 0, 0, 0, 0].withUnsafeBytes {
          _ = try reader.feed($0, limitBytes: 10) {
            got.append($1)
            return true
          }
        }
      }
      if flag <= 1 {
        try feed()
        #expect(got == [flag == 1])
      } else {
        #expect(throws: FramingError.badFlag) { try feed() }
      }
    }
  }

  private func drain(
    _ queue: inout SendQueue, pieces: Int, pieceBytes: Int, _ reader: inout MessageReader,
    emit: ([UInt8], Bool) -> Void
  ) throws {
    var left = pieces
    while !queue.isEmpty, left > 0 {
      left -= 1
      var piece = [UInt8](repeating: 0, count: pieceBytes)
      let count = piece.withUnsafeMutableBufferPointer { target in
        target.baseAddress.map { queue.read(into: $0, capacity: pieceBytes) } ?? 0
      }
      try piece.prefix(count).withUnsafeBytes {
        _ = try reader.feed($0, limitBytes: 1000) {
          emit($0, $1)
          return true
        }
      }
    }
  }

  @Test("percent coding: only printable ASCII travels, and any text comes back", arguments: 0..<50)
  func percent(seed: UInt64) {
    let text = String(decoding: noise(40, seed: seed), as: UTF8.self) + "%\t\r\n☺😈~"
    let wire = PercentCoding.encode(text, limitBytes: .max)
    #expect(wire.allSatisfy { (0x20...0x7E).contains($0) })
    #expect(PercentCoding.decode(wire) == text, "seed \(seed)")
    let cut = PercentCoding.encode(text, limitBytes: 30)
    #expect(cut.count <= 30)
    #expect(text.unicodeScalars.starts(with: PercentCoding.decode(cut).unicodeScalars))
  }

  @Test("escapes that are not whole stay as they are")
  func badEscapes() {
    for text in ["%", "%4", "%zz", "a%", "%%41"] {
      let expected = text == "%%41" ? "%A" : text
      #expect(PercentCoding.decode(Array(text.utf8)) == expected)
    }
    #expect(PercentCoding.decode(Array("%FF".utf8)) == "\u{FFFD}")
  }

  @Test("metadata is a list: order and repetition count, storage does not")
  func metadata() {
    var a = Metadata()
    a.add("x-a", "1")
    a.add("x-b", "2")
    a.add("X-A", "3")
    var b = Metadata()
    b.add("x-a", "1")
    #expect(a != b)
    b.add("x-b", "2")
    b.add("x-a", "3")
    #expect(a == b)
    #expect(a.allText("x-a") == ["1", "3"])
    #expect(a.text("x-") == nil)
    #expect(a.count == 3)
    a.add("x-c", "  around ")
    #expect(a.text("x-c") == "around")
  }

  @Test("time saturates at both ends")
  func instants() {
    let late = Instant(nanoseconds: .max - 5)
    #expect(late.advanced(by: .seconds(1)).nanoseconds == .max)
    #expect(late.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
    #expect(Instant(nanoseconds: 5).advanced(by: .seconds(-1)).nanoseconds == 0)
    #expect(Instant(nanoseconds: 5).advanced(by: .nanoseconds(-2)).nanoseconds == 3)
    #expect(Instant(nanoseconds: 5).duration(since: late) == .zero)
    #expect(late.duration(since: Instant(nanoseconds: .max - 8)) == .nanoseconds(3))
  }

  @Test("either compressor's output is read by its own decompressor only", arguments: 0..<20)
  func codecs(seed: UInt64) throws {
    let codecs = Codecs()
    let limits = Limits()
    let text = noise(Int(seed) * 40 + 2, seed: seed).map { $0 & 3 }
    for encoding in [Compression.gzip, .deflate] {
      guard let small = codecs.deflate(text, as: encoding, limits: limits) else { continue }
      #expect(small.count < text.count)
      #expect(try codecs.inflate(small, as: encoding, limits: limits) == text)
      let other: Compression = encoding == .gzip ? .deflate : .gzip
      #expect(throws: InflateError.corrupt) {
        _ = try codecs.inflate(small, as: other, limits: limits)
      }
      // A stream that failed works again for the next message.
      #expect(try codecs.inflate(small, as: encoding, limits: limits) == text)
    }
  }
}
