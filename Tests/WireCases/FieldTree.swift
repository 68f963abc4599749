// SPDX-License-Identifier: Apache-2.0
// Changes a message at any depth and puts it together again, so that what surrounds the change
// stays well-formed: fields twice, in two parts, elsewhere, of another wire type, in overlong
// bytes.

import AtrestTestSupport

/// Bytes as a list of fields, where they can be read so.
public struct FieldTree {
  private struct Field {
    var tag: UInt64
    var value: Value
  }

  private enum Value {
    case varint(UInt64)
    case fixed([UInt8])
    case bytes([UInt8])
    case message(FieldTree)
  }

  private var fields: [Field] = []

  /// Reads a message; nil if the bytes are none. Embedded bytes that look like a message count as
  /// one.
  public init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let tag = Self.takeVarint(&rest), tag >> 3 != 0 else { return nil }
      switch tag & 7 {
      case 0:
        guard let number = Self.takeVarint(&rest) else { return nil }
        fields.append(Field(tag: tag, value: .varint(number)))
      case 1, 5:
        let size = tag & 7 == 1 ? 8 : 4
        guard rest.count >= size else { return nil }
        fields.append(Field(tag: tag, value: .fixed(Array(rest.prefix(size)))))
        rest = rest.dropFirst(size)
      case 2:
        guard let size = Self.takeVarint(&rest), size <= rest.count else { return nil }
        let content = Array(rest.prefix(Int(size)))
        rest = rest.dropFirst(Int(size))
        let inner = content.isEmpty ? nil : FieldTree(content)
        fields.append(Field(tag: tag, value: inner.map { .message($0) } ?? .bytes(content)))
      default: return nil
      }
    }
  }

  private static func takeVarint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  /// Changes one thing at a random depth.
  ///
  /// - Parameter other: Where fields to insert come from.
  public mutating func mutate(_ random: inout SeededRandom, with other: FieldTree) {
    let inner = fields.indices.filter {
      if case .message = fields[$0].value { true } else { false }
    }
    if !inner.isEmpty, !random.oneIn(3) {
      let index = inner[Int.random(in: 0..<inner.count, using: &random)]
      guard case .message(var tree) = fields[index].value else { return }
      if random.oneIn(4) {
        fields[index].value = .message(tree.thinned(&random))
        let second = Field(tag: fields[index].tag, value: .message(tree.thinned(&random)))
        fields.insert(second, at: index + 1)
        return
      }
      var donor = other
      if let field = other.fields.first(where: { $0.tag == fields[index].tag }),
        case .message(let part) = field.value
      {
        donor = part
      }
      tree.mutate(&random, with: donor)
      fields[index].value = .message(tree)
      return
    }
    guard !fields.isEmpty else { return }
    let index = Int.random(in: 0..<fields.count, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: fields.insert(fields[index], at: Int.random(in: 0...fields.count, using: &random))
    case 1: fields.remove(at: index)
    case 2: fields.swapAt(index, Int.random(in: 0..<fields.count, using: &random))
    case 3:
      if let field = other.fields.randomElement(using: &random) {
        fields.insert(field, at: Int.random(in: 0...fields.count, using: &random))
      }
    case 4: fields[index].value = .varint(random.number())
    case 5: fields[index].value = .fixed(random.bytes(8...8))
    case 6: fields[index].value = .bytes(random.oneIn(2) ? [] : random.bytes(0...40))
    default: fields[index].tag = UInt64.random(in: 8...160, using: &random)
    }
  }

  /// Without some of the fields, and with some of them empty: a part of what is sent in two parts.
  private func thinned(_ random: inout SeededRandom) -> FieldTree {
    var copy = self
    copy.fields.removeAll { _ in random.oneIn(3) }
    for index in copy.fields.indices where random.oneIn(4) {
      if case .bytes = copy.fields[index].value { copy.fields[index].value = .bytes([]) }
    }
    return copy
  }

  /// The bytes. Numbers, lengths and tags are overlong at times.
  public func encoded(_ random: inout SeededRandom) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
      let (wireType, value): (UInt64, [UInt8])
      switch field.value {
      case .varint(let number): (wireType, value) = (0, Self.varint(number, &random))
      case .fixed(let fixed): (wireType, value) = (fixed.count == 8 ? 1 : 5, fixed)
      case .bytes(let content):
        (wireType, value) = (2, Self.varint(UInt64(content.count), &random) + content)
      case .message(let tree):
        let content = tree.encoded(&random)
        (wireType, value) = (2, Self.varint(UInt64(content.count), &random) + content)
      }
      bytes += Self.varint(field.tag & ~7 | wireType, &random) + value
    }
    return bytes
  }

  private static func varint(_ number: UInt64, _ random: inout SeededRandom) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), number)
    repeat {
      bytes.append(UInt8(truncatingIfNeeded: rest & 0x7f) | 0x80)
      rest >>= 7
    } while rest != 0
    if random.oneIn(30) {
      for _ in 0..<Int.random(in: 1...6, using: &random) { bytes.append(0x80) }
    }
    bytes[bytes.count - 1] &= 0x7f
    return bytes
  }
}
